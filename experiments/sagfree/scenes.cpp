#include "experiments/sagfree/scenes.hpp"

#include <cmath>
#include <stdexcept>

namespace tendril::experiments::sagfree {

using Eigen::Vector3d;
using tendril::sagfree::Freedom;
using tendril::sagfree::LagrangianOptions;
using tendril::sagfree::StrandProblem;

der::Description straight_strand(const Vector3d& along, double modulus) {
  Curves curves;
  for (std::size_t i = 0; i < vertices; ++i) curves.points.push_back(length * double(i) / double(vertices - 1) * along);
  curves.offsets.push_back(vertices);
  der::Material material;
  material.radius = radius, material.young = material.shear = modulus, material.density = density;
  der::Description d = der::describe(std::move(curves), material, {});
  d.root_director = {Vector3d::UnitY()};  // gravity bends about one axis of the section
  return d;
}

StrandProblem problem_of(const der::Strands& strands, Freedom freedom) {
  return StrandProblem(strands, strands.make_targets(), strands.start(), 0, down, freedom);
}

der::Strands with_parameters(der::Strands strands, const StrandProblem& problem, const Eigen::VectorXd& p) {
  der::RestState rest = strands.rest_state();
  problem.store(p, strands, rest);
  if (!strands.set_rest(std::move(rest))) throw std::runtime_error("the rest state is refused");
  return strands;
}

LagrangianOptions settings_of_the_paper(double stiffness_weight) {
  LagrangianOptions options;
  options.stiffness_weight = stiffness_weight, options.penalty = 1e9;
  options.qp.method = bcqp::Method::mprgp;
  return options;
}

double drift(const der::Strands& strands, double seconds) {
  Motion motion(strands, down);
  const std::vector<Vector3d> before = motion.positions();
  motion.run(int(std::lround(seconds / motion.options.dt)));
  return largest_distance(before, motion.positions());
}

plot::Chart side_view(std::string title, std::string description) {
  return {.title = std::move(title), .description = std::move(description), .x = {"x", "m"}, .y = {"z", "m"}};
}

void add_shape(std::string name, const std::vector<Vector3d>& positions, plot::Chart& chart) {
  std::vector<double> x, z;
  for (const Vector3d& position : positions) x.push_back(position.x()), z.push_back(position.z());
  chart.add(std::move(name), std::move(x), std::move(z));
}

}  // namespace tendril::experiments::sagfree
