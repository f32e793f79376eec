// Figure 2: measures of curvature on a strand with flipped frames.
#include <fmt/format.h>

#include <cmath>

#include "experiments/sagfree/flipped_strand.hpp"
#include "experiments/sagfree/sagfree.hpp"

namespace tendril::experiments::sagfree {
namespace {

using der::Curvature;

std::vector<Eigen::Vector3d> after_a_second(Curvature curvature, double modulus, bool flipped) {
  Motion motion = motion_of({curvature, modulus, flipped});
  motion.run(240);
  return motion.positions();
}

double height(const std::vector<Eigen::Vector3d>& shape) { return shape.back().z(); }

}  // namespace

Findings figure2(const Context&) {
  constexpr double stiff = 1e10, soft = 1e9;
  const auto four = after_a_second(Curvature::four, stiff, false),
             four_flipped = after_a_second(Curvature::four, stiff, true),
             averaged = after_a_second(Curvature::averaged, stiff, false),
             averaged_flipped = after_a_second(Curvature::averaged, stiff, true),
             averaged_soft = after_a_second(Curvature::averaged, soft, true),
             slerped = after_a_second(Curvature::slerped, stiff, false),
             slerped_flipped = after_a_second(Curvature::slerped, stiff, true);
  Findings out;
  const double of_four = largest_distance(four, four_flipped), of_slerped = largest_distance(slerped, slerped_flipped);
  out.claim("4D curvature, plain and flipped", "the same", fmt::format("differ by {:.1e} m", of_four), "below 1e-9 m",
            of_four < 1e-9);
  out.claim("slerped curvature, exact gradient, plain and flipped", "not shown",
            fmt::format("differ by {:.1e} m", of_slerped), "below 1e-9 m", of_slerped < 1e-9);
  out.claim("averaged and 4D curvature, plain", "equivalent",
            fmt::format("tips at {:.4f} and {:.4f} m", height(averaged), height(four)), "tips within 1e-3 m",
            std::abs(height(averaged) - height(four)) < 1e-3);
  const double of_modulus = largest_distance(averaged_flipped, averaged_soft);
  out.claim("averaged curvature, flipped", "no bending forces",
            fmt::format("tip at {:.4f} m; {:.1e} m from the same with a tenth of the bending modulus",
                        height(averaged_flipped), of_modulus),
            "lower by more than 0.05 m, and the same for both moduli to 1e-9 m",
            of_modulus < 1e-9 && height(averaged_flipped) < height(averaged) - 0.05);
  plot::Chart chart = side_view("After a second", "Bending modulus 10 GPa; flipped: every second frame turned half.");
  add_shape("4D", four, chart), add_shape("4D, flipped", four_flipped, chart);
  add_shape("averaged", averaged, chart), add_shape("averaged, flipped", averaged_flipped, chart);
  out.charts.push_back(std::move(chart));
  out.notes.push_back("Curves that agree lie on top of each other: three of the four do.");
  return out;
}

}  // namespace tendril::experiments::sagfree
