// Forward derivatives of every operation against central differences.
#include "tendril/linalg/dual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace tendril {
namespace {

using D = Dual<2>;

// f as a template on the scalar; compares value and both partials at (a, b).
template <class F>
void expect_derivatives(F&& f, double a, double b) {
  const D dual = f(D::variable(a, 0), D::variable(b, 1));
  const double h = 1e-4;
  const auto slope = [&](const std::function<double(double)>& g) {
    return (8.0 * (g(h) - g(-h)) - (g(2.0 * h) - g(-2.0 * h))) / (12.0 * h);
  };
  const double by_a = slope([&](double d) { return f(a + d, b); }), by_b = slope([&](double d) { return f(a, b + d); });
  EXPECT_EQ(dual.value, f(a, b));
  EXPECT_NEAR(dual.partial[0], by_a, 1e-9 * (1.0 + std::abs(by_a)));
  EXPECT_NEAR(dual.partial[1], by_b, 1e-9 * (1.0 + std::abs(by_b)));
}

TEST(Dual, DifferentiatesArithmetic) {
  const double a = 1.7, b = -0.6;
  expect_derivatives([](auto x, auto y) { return x + y; }, a, b);
  expect_derivatives([](auto x, auto y) { return x - y; }, a, b);
  expect_derivatives([](auto x, auto y) { return x * y; }, a, b);
  expect_derivatives([](auto x, auto y) { return x / y; }, a, b);
  expect_derivatives([](auto x, auto y) { return -x * y; }, a, b);
}

TEST(Dual, DifferentiatesWithConstants) {
  const double a = 1.7, b = -0.6;
  expect_derivatives([](auto x, auto y) { return (x + 2.0) * (3.0 + y); }, a, b);
  expect_derivatives([](auto x, auto y) { return (x - 2.0) * (3.0 - y); }, a, b);
  expect_derivatives([](auto x, auto y) { return (x * 2.0) / (3.0 * y); }, a, b);
  expect_derivatives([](auto x, auto y) { return (x / 2.0) * (3.0 / y); }, a, b);
}

TEST(Dual, DifferentiatesFunctions) {
  const double a = 1.7, b = -0.6;
  expect_derivatives([](auto x, auto y) { return square_root(x * x + y * y); }, a, b);
  expect_derivatives([](auto x, auto y) { return sine_cosine(x * y).sine; }, a, b);
  expect_derivatives([](auto x, auto y) { return sine_cosine(x * y).cosine; }, a, b);
  for (const double angle : {0.3, 1.2, 2.0, 3.0, -0.3, -1.2, -2.0, -3.0})  // every octant
    expect_derivatives([](auto y, auto x) { return angle_of(y, x); }, 2.0 * std::sin(angle), 2.0 * std::cos(angle));
  expect_derivatives([](auto x, auto y) { return nearest_integer(x) * y + nearest_integer(y * 10.0) * x; }, a, -0.63);
}

TEST(Dual, FollowsTheChainThroughDeepExpressions) {
  expect_derivatives(
      [](auto x, auto y) {
        auto sum = x;
        for (int i = 0; i < 20; ++i) sum = sine_cosine(sum + y).sine + square_root(sum * sum + 1.0) / 3.0;
        return sum;
      },
      0.4, 0.9);
}

TEST(Dual, ConstantsHaveNoDerivative) {
  const D constant{3.0, {}};
  EXPECT_EQ(constant.partial[0], 0.0);
  EXPECT_EQ((constant * constant).partial[1], 0.0);
}

}  // namespace
}  // namespace tendril
