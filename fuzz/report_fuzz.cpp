// libFuzzer entry: any text as a report, which must become a page of bounded size or a sentence; the same text also as
// the file of a probe. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc fuzz/report_fuzz.cpp src/tendril/plot/*.cpp
//     src/tendril/io/atomic_file.cpp -lfmt -o report_fuzz
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tendril/plot/run_page.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto report = tendril::plot::parse_report(text, "fuzz.json");
  if (!report) {
    if (report.error().what.empty() || report.error().where.empty()) std::abort();
    report = tendril::plot::Report{};
  }
  report.value().probes.push_back(tendril::plot::parse_probe(text, "fuzz"));
  const std::string html = tendril::plot::report_page(report.value()).html();
  if (!tendril::plot::is_our_page(html)) std::abort();
  // Names may be repeated, and every byte of them become six; drawings have a bound each.
  if (html.size() > 1'000'000 + 4000 * size) std::abort();
  const tendril::plot::Report twice[] = {report.value(), report.value()};
  const auto comparison = tendril::plot::comparison_page(twice);
  if (!comparison && comparison.error().what.empty()) std::abort();
  return 0;
}
