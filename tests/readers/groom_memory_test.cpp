// How much memory the readers of grooms ask for: with a hostile file of any size at most 64 MB and 16 times its size,
// of which most is for small files. So the test is stricter: 16 times the size, the file and the mending included.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tendril/io/groom_file.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which have their own `new`
#define TENDRIL_MEASURES_MEMORY

#include <malloc.h>

#include <atomic>
#include <new>

namespace {
std::atomic<std::int64_t> in_use = 0, most_in_use = 0;
}

// NOLINTBEGIN: these are the standard's names
// Not inline: g++ 12 takes them apart otherwise, and then new and delete look like strangers.
__attribute__((noinline)) void* operator new(std::size_t size) {
  void* p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  const std::int64_t now = in_use += std::int64_t(malloc_usable_size(p));
  for (std::int64_t most = most_in_use; now > most && !most_in_use.compare_exchange_weak(most, now);) continue;
  return p;
}
__attribute__((noinline)) void operator delete(void* p) noexcept {
  if (p != nullptr) in_use -= std::int64_t(malloc_usable_size(p));
  std::free(p);
}
__attribute__((noinline)) void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
// NOLINTEND
#endif

namespace tendril {
namespace {

using Bytes = std::vector<std::byte>;

// Memory at most in use while a file is read and mended, in sizes of the file.
double cost(const Bytes& bytes, const char* name, bool accepted) {
#ifdef TENDRIL_MEASURES_MEMORY
  const std::int64_t before = in_use;
  most_in_use = before;
  {
    auto groom = decode_groom(bytes, name);
    EXPECT_EQ(bool(groom), accepted) << (groom ? "" : groom.error().message());
    if (groom) repair(groom.value(), 0.0);
  }
  return 1.0 + double(most_in_use - before) / double(bytes.size());
#else
  EXPECT_EQ(bool(decode_groom(bytes, name)), accepted);
  return 0.0;
#endif
}

double cost(const std::string& text, bool accepted = true) {
  const auto bytes = std::as_bytes(std::span(text));
  return cost(Bytes(bytes.begin(), bytes.end()), "f.usda", accepted);
}

template <class T>
void put(std::size_t at, T value, Bytes& bytes) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// TENDRIL_HOSTILE_MB makes the files larger.
std::size_t megabytes(double least) {
  const char* wanted = std::getenv("TENDRIL_HOSTILE_MB");
  return std::size_t(std::max(least, wanted == nullptr ? 0.0 : std::atof(wanted)) * 1e6);
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

const std::string head = "#usda 1.0\n";
std::string curves(const std::string& contents) {
  return "def BasisCurves \"a\" {token type=\"linear\"\n" + contents + "}\n";
}
// The points of a strand that has to be mended.
const std::string doubled = "0,0,0,1,0,0,1,0,0,";

TEST(HeavyGroomMemory, OfHairFilesIsBounded) {
  for (const std::uint32_t flags : {2u, 3u, 31u, 6u}) {  // points; with segments; with all; with thickness
    const std::size_t size = megabytes(2);
    const std::size_t per_strand = (flags & 1 ? 2 : 0) + 12 + (flags & 4 ? 4 : 0) + (flags & 8 ? 16 : 0);
    for (const std::uint32_t points : {1u, 2u}) {
      const std::size_t strands = (size - 128) / ((flags & 1 ? 2 : 0) + points * (per_strand - (flags & 1 ? 2 : 0)));
      Bytes bytes(size);
      std::memcpy(bytes.data(), "HAIR", 4);
      put(4, std::uint32_t(strands), bytes), put(8, std::uint32_t(points * strands), bytes);
      put(12, flags, bytes), put(16, points - 1, bytes);
      const std::size_t begin = 128 + (flags & 1 ? 2 * strands : 0);
      for (std::size_t s = 0; s < strands && (flags & 1); ++s) put(128 + 2 * s, std::uint16_t(points - 1), bytes);
      // The first strand is all at one place, so that there is something to mend.
      for (std::size_t v = 0; v < points * strands; ++v) put(begin + 12 * v, float(v < points ? 0 : v), bytes);
      EXPECT_LT(cost(bytes, "f.hair", true), 16.0) << flags << ", " << points;
    }
  }
}

TEST(HeavyGroomMemory, OfHairFilesIsNotWhatTheirHeaderSays) {
  for (const std::uint32_t flags : {2u, 3u, 31u})
    for (const std::uint32_t count : {0x7fffffffu, 0xffffffffu, 1000000u}) {
      Bytes bytes(128 + 2 * 1000000);
      std::memcpy(bytes.data(), "HAIR", 4);
      put(4, count, bytes), put(8, count, bytes), put(12, flags, bytes);
      EXPECT_LT(cost(bytes, "f.hair", false), 16.0) << flags << ", " << count;
    }
}

TEST(HeavyGroomMemory, OfDataFilesIsBounded) {
  for (const std::int32_t points : {0, 1, 2, 3}) {
    const std::size_t per_strand = 4 + 12 * std::size_t(points), strands = megabytes(2) / per_strand;
    Bytes bytes(4 + per_strand * strands);
    put(0, std::int32_t(strands), bytes);
    for (std::size_t s = 0; s < strands; ++s) {
      put(4 + per_strand * s, points, bytes);
      for (std::size_t i = 0; i < std::size_t(points); ++i)
        put(8 + per_strand * s + 12 * i, float(s == 0 ? 0 : i), bytes);
    }
    EXPECT_LT(cost(bytes, "f.data", true), 16.0) << points;
  }
}

TEST(HeavyGroomMemory, OfTfxFilesWithArraysOnTopOfEachOtherIsBounded) {
  for (const float version : {3.0f, 4.0f})
    for (const std::uint32_t vertices : {1u, 2u}) {
      Bytes bytes(megabytes(2));
      put(0, version, bytes), put(8, vertices, bytes);
      const std::uint32_t begin = version == 4.0f ? 160 : 296;
      const std::size_t numbers = version == 4.0f ? 4 : 3;
      const std::size_t strands = (bytes.size() - begin) / (4 * numbers * vertices);
      put(4, std::uint32_t(strands), bytes);
      if (version == 4.0f)
        for (const std::size_t at : {12, 16, 24, 28}) put(at, begin, bytes);
      else
        put(144, begin, bytes);
      for (std::size_t v = vertices; v < vertices * strands; ++v) put(begin + 4 * numbers * v, float(v), bytes);
      EXPECT_LT(cost(bytes, "f.tfx", true), 16.0) << version << ", " << vertices;
    }
}

TEST(HeavyGroomMemory, OfUsdaCurvesIsBounded) {
  const std::size_t size = megabytes(2);
  EXPECT_LT(cost(head + curves("int[] curveVertexCounts=[" + repeated("0,", size / 2) + "] point3f[] points=[]")),
            16.0);
  EXPECT_LT(cost(head + curves("int[] curveVertexCounts=[" + std::to_string(size / 6) + "] point3f[] points=[" +
                               repeated("0,0,1,", size / 6) + "]")),
            16.0);
  EXPECT_LT(cost(head + curves("int[] curveVertexCounts=[" + repeated("1,", size / 8) + "] point3f[] points=[" +
                               repeated("0,0,0,", size / 8) + "]")),
            16.0);
  EXPECT_LT(cost(head + curves("int[] curveVertexCounts=[" + repeated("3,", size / 20) + "] point3f[] points=[" +
                               repeated(doubled, size / 20) + "]")),
            16.0);
  EXPECT_LT(cost(head + curves("int[] curveVertexCounts=[" + repeated("0,", size / 4) +
                               "] point3f[] points=[] int[] primvars:a=[" + repeated("0,", size / 4) +
                               "] (interpolation=\"uniform\")")),
            16.0);
  EXPECT_LT(
      cost(head + curves("int[] curveVertexCounts=[" + repeated("3,", size / 26) + "] point3f[] points=[" +
                         repeated(doubled, size / 26) + "] float[] widths=[" + repeated("1,1,1,", size / 26) + "]")),
      16.0);
}

TEST(HeavyGroomMemory, OfManyUsdaPrimsIsBounded) {
  const std::size_t size = megabytes(2);
  for (const std::size_t prims : {2, 3, 5, 9, 17, 33, 65, 129}) {
    const std::size_t part = size / prims;
    EXPECT_LT(
        cost(head +
             repeated(curves("int[] curveVertexCounts=[" + repeated("0,", part / 2) + "] point3f[] points=[]"), prims)),
        16.0)
        << prims;
    EXPECT_LT(cost(head + repeated(curves("int[] curveVertexCounts=[" + std::to_string(part / 6) +
                                          "] point3f[] points=[" + repeated("0,0,1,", part / 6) + "]"),
                                   prims)),
              16.0)
        << prims;
    EXPECT_LT(cost(head + repeated(curves("int[] curveVertexCounts=[" + repeated("0,", part / 4) +
                                          "] point3f[] points=[] int[] primvars:a=[" + repeated("0,", part / 4) +
                                          "] (interpolation=\"uniform\")"),
                                   prims)),
              16.0)
        << prims;
  }
}

// Of these a small file may have as many as there may be at all, so they count against the 64 MB.
TEST(HeavyGroomMemory, OfWordsPrimsAttributesAndKeysIsBounded) {
  const auto bound = [](const std::string& text) { return 16.0 + 64e6 / double(text.size()); };
  const auto check = [&](const std::string& text, const char* what) {
    EXPECT_LT(cost(text, false), bound(text)) << what;
  };
  const std::size_t size = megabytes(8);
  check(head + "(" + repeated("a=[" + repeated("a,", 600000) + "]\n", size / 1200000) + ")", "words of metadata");
  std::string text = head + "def \"a\" {\n";
  for (std::size_t i = 0; i < size / 1200000; ++i)
    text += "token[] a" + std::to_string(i) + "=[" + repeated("a,", 600000) + "]\n";
  check(text + "}", "words");
  check(head + repeated("def \"\"{}", size / 8), "prims");
  text = head;
  for (std::size_t i = 0; i < size / 10; ++i)
    text += (i % 4000 == 0 ? "}def\"\"{" : "") + ("a a" + std::to_string(i % 4000)) + "\n";
  text.erase(head.size(), 1);  // the first bracket closes nothing
  check(text, "attributes");
  text = head + "(";
  for (std::size_t i = 0; i < size / 9; ++i) text += "a" + std::to_string(i) + "=a ";
  check(text + ")", "keys");
}

}  // namespace
}  // namespace tendril
