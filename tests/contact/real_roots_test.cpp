#include "contact/real_roots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "contact/reference.hpp"
#include "tendril/base/random.hpp"

namespace tendril::contact {
namespace {

// The product of (x - root).
std::vector<double> polynomial(const std::vector<double>& roots) {
  std::vector<double> c = {1.0};
  for (const double root : roots) {
    c.push_back(0.0);
    for (std::size_t k = c.size() - 1; k > 0; --k) c[k] = c[k - 1] - root * c[k];
    c[0] *= -root;
  }
  return c;
}

void expect_roots(const RealRoots& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(std::size_t(found.count), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(found.values[k], expected[k], tolerance * (1.0 + std::abs(expected[k])));
}

TEST(RealRoots, AreThoseOfTheReference) {
  for (const reference::RootCase& known : reference::root_cases())
    expect_roots(real_roots(known.coefficients, known.low, known.high), known.roots, 1e-13);
}

TEST(RealRoots, AreAllFoundWhereTheyAreApart) {
  Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> roots, inside;
    double at = random.uniform(-3.0, 0.0);
    for (std::uint64_t k = 1 + random.below(6); k > 0; --k) roots.push_back(at += random.uniform(0.05, 1.5));
    const double low = -0.7, high = 2.3;
    std::ranges::copy_if(roots, std::back_inserter(inside), [=](double x) { return x >= low && x <= high; });
    expect_roots(real_roots(polynomial(roots), low, high), inside, 1e-6);
  }
}

TEST(RealRoots, OfHigherMultiplicityAreGivenOnce) {
  expect_roots(real_roots(polynomial({1.0, 1.0, 3.0}), 0.0, 10.0), {1.0, 3.0}, 1e-7);
  expect_roots(real_roots(polynomial({2.0, 2.0, 2.0}), 0.0, 10.0), {2.0}, 1e-5);
}

TEST(RealRoots, AtTheEndsOfTheIntervalBelongToIt) {
  expect_roots(real_roots(polynomial({1.0, 2.0}), 1.0, 2.0), {1.0, 2.0}, 1e-15);
}

TEST(RealRoots, OfConstantsAndEmptyIntervalsThereAreNone) {
  EXPECT_EQ(real_roots(std::vector{1.0}, 0.0, 1.0).count, 0);
  EXPECT_EQ(real_roots(std::vector<double>{}, 0.0, 1.0).count, 0);
  EXPECT_EQ(real_roots(std::vector{-1.0, 1.0}, 3.0, 2.0).count, 0);
}

TEST(RealRoots, BesideLeadingZerosAreFound) {
  expect_roots(real_roots(std::vector{-1.0, 2.0, 0.0, 0.0, 0.0}, 0.0, 1.0), {0.5}, 1e-15);
}

}  // namespace
}  // namespace tendril::contact
