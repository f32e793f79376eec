#include "tendril/collide/tracking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collide/scenes.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/collide/merge.hpp"

namespace tendril::collide {
namespace {

Contact between(std::uint32_t a, double arc_a, std::uint32_t b, double arc_b) {
  Contact contact;
  const auto point = [](std::uint32_t strand, double arc) {
    const auto edge = static_cast<std::uint32_t>(arc);
    return StrandPoint{strand, edge, arc - edge};
  };
  contact.a = point(a, arc_a), contact.b = point(b, arc_b);
  return contact;
}

Contact with_body(std::uint32_t a, double arc, std::uint32_t body) {
  Contact contact = between(a, arc, nobody, 0.0);
  contact.body.body = body;
  return contact;
}

std::vector<std::uint32_t> matches(const std::vector<Contact>& last, const std::vector<Contact>& now) {
  std::vector<std::uint32_t> match;
  match_contacts(last, refs_to(now), match);
  return match;
}

TEST(Tracking, KnowsContactsAgainThatSlideOverAVertex) {
  const std::vector<Contact> last = {between(0, 0.9, 1, 2.95), between(0, 5.0, 1, 6.0), with_body(0, 7.9, 2)};
  const std::vector<Contact> now = {between(0, 1.1, 1, 3.05), between(0, 5.6, 1, 6.4), with_body(0, 8.2, 2)};
  EXPECT_EQ(matches(last, now), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Tracking, TellsApartOtherStrandsBodiesAndPlaces) {
  const std::vector<Contact> last = {between(0, 1.0, 1, 2.0), with_body(0, 1.0, 0), between(1, 1.0, 2, 2.0)};
  const std::vector<Contact> now = {between(0, 1.0, 2, 2.0), with_body(0, 1.0, 1), between(0, 2.1, 1, 2.0),
                                    between(1, 1.0, 2, 3.1)};
  EXPECT_EQ(matches(last, now), (std::vector<std::uint32_t>{nobody, nobody, nobody, nobody}));
}

TEST(Tracking, GivesEachOldContactOnceToTheNearest) {
  const std::vector<Contact> last = {between(0, 1.0, 1, 1.0), between(0, 1.5, 1, 1.5)};
  const std::vector<Contact> now = {between(0, 1.2, 1, 1.2), between(0, 1.45, 1, 1.5), between(0, 1.55, 1, 1.52)};
  const auto match = matches(last, now);
  EXPECT_EQ(match, (std::vector<std::uint32_t>{0, 1, nobody}));
}

TEST(Tracking, StartsFromNothing) {
  EXPECT_TRUE(matches({between(0, 1, 1, 1)}, {}).empty());
  EXPECT_EQ(matches({}, {between(0, 1, 1, 1)}), (std::vector<std::uint32_t>{nobody}));
}

// Strands that drift by a tenth of an edge: every contact that lasts is known again, for any number of threads.
TEST(Tracking, KeepsIdentityWhenAllContactsShift) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Strands strands = random_strands(seed);
    const auto last = contacts_of(strands);
    std::vector<Contact> now = last;
    Random random(seed);
    // By less than half of the distance to the nearest other contact, so that the answer is known.
    for (std::size_t k = 0; k < now.size(); ++k) {
      double room = 0.1;
      for (std::size_t other = 0; other < last.size(); ++other)
        if (other != k && last[other].a.strand == last[k].a.strand && last[other].b.strand == last[k].b.strand)
          room = std::min(room, 0.4 * std::max(std::abs(last[other].a.arc() - last[k].a.arc()),
                                               std::abs(last[other].b.arc() - last[k].b.arc())));
      now[k] = between(last[k].a.strand, std::max(0.0, last[k].a.arc() + random.uniform(-room, room)), last[k].b.strand,
                       std::max(0.0, last[k].b.arc() + random.uniform(-room, room)));
      now[k].gap = static_cast<double>(k);
    }
    std::ranges::stable_sort(now, [](const Contact& x, const Contact& y) { return contact_order(x, y) < 0; });
    const auto match = matches(last, now);
    for (std::size_t k = 0; k < now.size(); ++k) EXPECT_EQ(match[k], static_cast<std::uint32_t>(now[k].gap)) << seed;
    for (const int threads : {1, 2, 3, 7}) {
      set_thread_count(threads);
      EXPECT_EQ(matches(last, now), match);
    }
    set_thread_count(0);
  }
}

TEST(Tracking, RemembersNormalsNearByAndSidesAnywhere) {
  std::vector<Contact> last = {between(0, 1.0, 1, 1.0), between(0, 4.0, 1, 4.0), between(0, 4.0, 2, 4.0)};
  last[0].normal = Vector3d::UnitX(), last[1].normal = Vector3d::UnitY(), last[2].normal = Vector3d::UnitZ();
  last[0].side = -1.0;
  const LastContacts memory(last);
  const auto near = memory.remember({0, 1, 0.5}, {1, 1, 0.2});
  EXPECT_TRUE(near.has_normal);
  EXPECT_EQ(near.normal, Vector3d::UnitX());
  const auto far = memory.remember({0, 2, 0.2}, {1, 2, 0.2});
  EXPECT_FALSE(far.has_normal);
  EXPECT_TRUE(far.has_side);
  EXPECT_EQ(far.side, -1.0);
  EXPECT_FALSE(memory.remember({1, 1, 0.0}, {2, 1, 0.0}).has_side);
}

}  // namespace
}  // namespace tendril::collide
