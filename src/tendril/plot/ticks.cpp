#include "tendril/plot/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

constexpr const char* minus = "\u2212";
constexpr long double slack = 1e-9L;  // of a step: round-off must not cost the tick at an end

long double power_of_ten(int exponent) { return std::pow(10.0L, static_cast<long double>(exponent)); }

std::string exponent_text(int exponent) { return fmt::format("e{}{}", exponent < 0 ? minus : "", std::abs(exponent)); }

// count * 10^exponent with `decimals` digits behind the point.
std::string fixed_text(std::int64_t count, int decimals) {
  std::string digits = std::to_string(std::llabs(count));
  if (decimals > 0) {
    if (digits.size() <= std::size_t(decimals)) digits.insert(0, std::size_t(decimals) + 1 - digits.size(), '0');
    digits.insert(digits.size() - std::size_t(decimals), ".");
  }
  return (count < 0 ? minus : "") + digits;
}

int digits_of(std::int64_t count) { return int(std::to_string(std::llabs(count)).size()); }

// All labels of an axis in one notation: plain, or with the same power of ten behind each.
struct Notation {
  int exponent = 0;  // of the counts
  int largest = 0;   // of the largest value

  Notation(std::int64_t largest_count, int step_exponent)
      : exponent(step_exponent), largest(digits_of(largest_count) - 1 + step_exponent) {}

  std::string text(std::int64_t count) const {
    if (count == 0) return "0";
    if (largest >= 6 || largest < -4) return fixed_text(count, largest - exponent) + exponent_text(largest);
    if (exponent <= 0) return fixed_text(count, -exponent);
    return fixed_text(count, 0) + std::string(std::size_t(exponent), '0');
  }
};

Ticks linear_ticks(const Ends& ends, int wanted, AxisEnds where, bool whole) {
  const long double least_step = (ends.high - ends.low) / wanted;
  int exponent = int(std::floor(std::log10(least_step)));
  std::int64_t multiple = 1;
  while (multiple < 10 && multiple * power_of_ten(exponent) < least_step * (1.0L - slack))
    multiple = multiple == 2 ? 5 : 2 * multiple;
  if (multiple == 10) multiple = 1, ++exponent;
  if (whole && exponent < 0) multiple = 1, exponent = 0;
  const long double step = multiple * power_of_ten(exponent);

  const bool rounded = where == AxisEnds::on_ticks;
  const long double low = ends.low / step, high = ends.high / step;
  const auto first = std::int64_t(rounded ? std::floor(low + slack) : std::ceil(low - slack));
  const auto last = std::int64_t(rounded ? std::ceil(high - slack) : std::floor(high + slack));

  Ticks out;
  out.ends = rounded ? Ends{first * step, last * step} : ends;
  const std::int64_t largest = std::max(std::llabs(first), std::llabs(last)) * multiple;
  const bool far_off = largest > 100'000 * multiple;
  const std::int64_t origin = far_off ? first : 0;
  if (far_off) out.offset = Notation(largest, exponent).text(first * multiple);
  const Notation notation(far_off ? (last - first) * multiple : largest, exponent);
  for (std::int64_t k = first; k <= last; ++k)
    out.ticks.push_back({k * step, (far_off && k > origin ? "+" : "") + notation.text((k - origin) * multiple)});
  return out;
}

std::string decade_text(int decade, int multiple, bool plain) {
  if (plain && decade >= 0) return fmt::format("{}{:0<{}}", multiple, "", decade);
  if (plain) return fixed_text(multiple, -decade);
  return decade == 0 ? std::to_string(multiple) : fmt::format("{}{}", multiple, exponent_text(decade));
}

Ticks log_ticks(const Ends& ends, int wanted, AxisEnds where) {
  const long double low = std::log10(ends.low), high = std::log10(ends.high);
  const int first = int(std::floor(low + slack)), last = int(std::ceil(high - slack));
  Ticks out;
  out.ends = where == AxisEnds::on_ticks ? Ends{power_of_ten(first), power_of_ten(last)} : ends;
  const int stride = (last - first + wanted - 1) / wanted;
  const long double extent = std::log10(out.ends.high / out.ends.low);  // few decades have labels between them
  const bool plain = first >= -3 && last <= 4;
  const auto inside = [&](long double value) {
    return value >= out.ends.low * (1.0L - slack) && value <= out.ends.high * (1.0L + slack);
  };
  for (int decade = first; decade <= last; ++decade) {
    const long double power = power_of_ten(decade);
    const bool labelled = decade % stride == 0;
    if (inside(power) && (labelled || stride <= 10))
      out.ticks.push_back({power, labelled ? decade_text(decade, 1, plain) : ""});
    if (stride > 1 || decade == last) continue;
    for (int multiple = 2; multiple < 10; ++multiple)
      if (inside(multiple * power)) {
        const bool named = extent <= 2.1L && (multiple == 2 || multiple == 5);
        const bool also = extent <= 1.1L && (multiple == 3 || multiple == 4 || multiple == 6 || multiple == 8);
        out.ticks.push_back({multiple * power, named || also ? decade_text(decade, multiple, plain) : ""});
      }
  }
  return out;
}

}  // namespace

std::size_t Ticks::longest_label() const {
  std::size_t longest = 0;
  for (const Tick& tick : ticks) longest = std::max(longest, characters(tick.label));
  return longest;
}

Ticks make_ticks(AxisKind kind, const Ends& ends, int wanted, AxisEnds where, bool whole) {
  wanted = std::max(2, wanted);
  return kind == AxisKind::linear ? linear_ticks(ends, wanted, where, whole) : log_ticks(ends, wanted, where);
}

}  // namespace tendril::plot
