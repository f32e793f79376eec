#include "tendril/io/fclib_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tendril/io/contact_problem_file.hpp"
#include "tendril/io/hdf5_file.hpp"

namespace tendril {
namespace {

using contact::ExplicitDelassus;
using Numbers = std::vector<double>;
using Integers = std::vector<std::int32_t>;

// A file of FCLIB as its data sets, to be changed before it is made.
struct Sets {
  std::map<std::string, Numbers> numbers;
  std::map<std::string, Integers> integers;

  std::vector<std::byte> file() const {
    Hdf5Writer out;
    for (const auto& [name, values] : numbers) out.numbers("/" + name, values);
    for (const auto& [name, values] : integers) out.integers("/" + name, values);
    return out.finish().value();
  }
  void set_matrix(const std::string& group, std::int32_t rows, std::int32_t columns, std::int32_t nz, const Integers& p,
                  const Integers& i, const Numbers& x) {
    integers[group + "/m"] = {rows}, integers[group + "/n"] = {columns}, integers[group + "/nz"] = {nz};
    integers[group + "/nzmax"] = {std::int32_t(x.size())};
    integers[group + "/p"] = p, integers[group + "/i"] = i, numbers[group + "/x"] = x;
  }
};

// One contact with W = [2 0.5 0; 0.5 3 0; 0 0 4].
Sets local_problem() {
  Sets sets;
  sets.integers["fclib_local/spacedim"] = {3};
  sets.set_matrix("fclib_local/W", 3, 3, -1, {0, 2, 4, 5}, {0, 1, 0, 1, 2}, {2.0, 0.5, 0.5, 3.0, 4.0});
  sets.numbers["fclib_local/vectors/q"] = {-1.0, 0.2, 0.0};
  sets.numbers["fclib_local/vectors/mu"] = {0.3};
  return sets;
}

// A contact between a block of two unknowns and one of one: H has a column per row of u, here by triplets.
Sets global_problem() {
  Sets sets;
  sets.integers["fclib_global/spacedim"] = {3};
  sets.set_matrix("fclib_global/M", 3, 3, -2, {0, 2, 4, 5}, {0, 1, 0, 1, 2}, {2.0, 1.0, 1.0, 2.0, 3.0});
  sets.set_matrix("fclib_global/H", 3, 3, 3, {0, 1, 2}, {0, 1, 0}, {1.0, 1.0, -1.0});
  sets.numbers["fclib_global/vectors/f"] = {1.0, -1.0, 0.5};
  sets.numbers["fclib_global/vectors/w"] = {0.0, 0.1, 0.0};
  sets.numbers["fclib_global/vectors/mu"] = {0.3};
  return sets;
}

AnyContactProblem read(const Sets& sets) {
  Result<AnyContactProblem> problem = decode_fclib(sets.file(), "f.h5");
  EXPECT_TRUE(problem) << problem.error().message();
  return problem.value();
}

std::string refusal(const Sets& sets) {
  const Result<AnyContactProblem> problem = decode_fclib(sets.file(), "f.h5");
  return problem ? "accepted" : problem.error().message();
}

Eigen::Matrix3d local_matrix(const Sets& sets) {
  return Eigen::MatrixXd(std::get<ExplicitDelassus>(read(sets)).matrix());
}

const Eigen::Matrix3d expected_w{{2.0, 0.5, 0.0}, {0.5, 3.0, 0.0}, {0.0, 0.0, 4.0}};

TEST(FclibFile, ReadsColumnsRowsAndTriplets) {
  Sets sets = local_problem();
  EXPECT_EQ(local_matrix(sets), expected_w);
  sets.integers["fclib_local/W/nz"] = {-2};
  EXPECT_EQ(local_matrix(sets), expected_w);
  sets.set_matrix("fclib_local/W", 3, 3, 5, {0, 1, 0, 1, 2}, {0, 0, 1, 1, 2}, {2.0, 0.5, 0.5, 3.0, 4.0});
  EXPECT_EQ(local_matrix(sets), expected_w);
  const ExplicitDelassus problem = std::get<ExplicitDelassus>(read(sets));
  EXPECT_EQ(problem.free_velocity(), Eigen::Vector3d(-1.0, 0.2, 0.0));
  EXPECT_EQ(problem.mu(0), 0.3);
}

TEST(FclibFile, ReturnsWhatWasWritten) {
  const ExplicitDelassus problem = std::get<ExplicitDelassus>(read(local_problem()));
  const contact::Solution solution = contact::solve(problem, {});
  const std::vector<std::byte> bytes = encode_fclib(problem, &solution).value();
  const ExplicitDelassus back = std::get<ExplicitDelassus>(decode_fclib(bytes, "f.h5").value());
  EXPECT_EQ(Eigen::MatrixXd(back.matrix()), Eigen::MatrixXd(problem.matrix()));
  EXPECT_EQ(back.free_velocity(), problem.free_velocity());
  EXPECT_EQ(back.mu(0), problem.mu(0));
  EXPECT_EQ(encode_fclib(back, &solution).value(), bytes);
}

TEST(FclibFile, MakesBlocksOfWhatMCouples) {
  const contact::Problem problem = std::get<contact::Problem>(read(global_problem()));
  ASSERT_EQ(problem.blocks.size(), 2u);
  EXPECT_EQ(problem.blocks[0].size, 2u);
  ASSERT_EQ(problem.size(), 1u);
  EXPECT_EQ(problem.contacts[0].a.block, 0);
  EXPECT_EQ(problem.contacts[0].b.block, 1);
  EXPECT_EQ(problem.contacts[0].drift, Eigen::Vector3d(0.0, 0.1, 0.0));
  const auto json = decode_contact_problem(R"({"M": [[[2, 1], [1, 2]], [[3]]], "f": [1, -1, 0.5], "oa": [0], "ob": [1],
      "Ha": [[[1, 0], [0, 1], [0, 0]]], "Hb": [[[-1], [0], [0]]], "w": [0, 0.1, 0], "mu": [0.3]})");
  EXPECT_EQ(encode_contact_problem(problem), encode_contact_problem(json.value()));
}

// A body with a diagonal M: three blocks, so that a contact with all of them is eliminated to W.
TEST(FclibFile, EliminatesVelocitiesIfAContactTouchesManyBlocks) {
  Sets sets = global_problem();
  sets.set_matrix("fclib_global/M", 3, 3, -1, {0, 1, 2, 3}, {0, 1, 2}, {2.0, 4.0, 5.0});
  sets.set_matrix("fclib_global/H", 3, 3, -1, {0, 1, 2, 3}, {0, 1, 2}, {1.0, 1.0, 1.0});
  const ExplicitDelassus problem = std::get<ExplicitDelassus>(read(sets));
  EXPECT_TRUE(Eigen::MatrixXd(problem.matrix()).isApprox(Eigen::Vector3d(0.5, 0.25, 0.2).asDiagonal().toDenseMatrix()));
  EXPECT_TRUE(problem.free_velocity().isApprox(Eigen::Vector3d(0.5, -0.25 + 0.1, 0.1)));
  sets.numbers["fclib_global/M/x"] = {2.0, -4.0, 5.0};
  EXPECT_EQ(refusal(sets), "f.h5: fclib_global/M: is not positive definite");
}

TEST(FclibFile, SaysWhatIsWrongByDataSet) {
  const auto with = [](const char* name, const Integers& values) {
    Sets sets = local_problem();
    sets.integers[name] = values;
    return refusal(sets);
  };
  EXPECT_EQ(with("fclib_local/spacedim", {2}),
            "f.h5: fclib_local/spacedim is 2; only problems in three dimensions are read");
  EXPECT_EQ(with("fclib_local/W/m", {6}), "f.h5: fclib_local/W is 6 x 3; the vectors need 3 x 3");
  EXPECT_EQ(with("fclib_local/W/n", {3, 3}), "f.h5: fclib_local/W/n must be one number");
  EXPECT_EQ(with("fclib_local/W/nz", {-3}), "f.h5: fclib_local/W/nz is -3; it must be -1, -2 or a number of triplets");
  EXPECT_EQ(with("fclib_local/W/nz", {6}), "f.h5: fclib_local/W has fewer than 6 triplets");
  EXPECT_EQ(with("fclib_local/W/p", {0, 2}), "f.h5: fclib_local/W/p has 2 numbers in place of 4");
  EXPECT_EQ(with("fclib_local/W/p", {0, 2, 1, 5}), "f.h5: fclib_local/W/p must begin with 0 and grow");
  EXPECT_EQ(with("fclib_local/W/p", {0, 2, 4, 9}), "f.h5: fclib_local/W/p ends with 9, but there are 5 entries");
  EXPECT_EQ(with("fclib_local/W/i", {0, 1, 0, 7, 2}), "f.h5: fclib_local/W/i has 7; there are 3, counted from 0");
  EXPECT_EQ(with("fclib_local/V/m", {1}),
            "f.h5: fclib_local/V is there: problems with equality constraints are not read");
  Sets sets = local_problem();
  sets.numbers["fclib_local/vectors/q"] = {1.0};
  EXPECT_EQ(refusal(sets), "f.h5: fclib_local/vectors/q has 1 numbers in place of 3");
  sets = local_problem(), sets.numbers["fclib_local/vectors/mu"] = {-1.0};
  EXPECT_EQ(refusal(sets), "f.h5: mu: of contact 0 is -1; it must be a number that is not negative");
  EXPECT_EQ(refusal({}), "f.h5: is not an FCLIB file: it has neither fclib_local nor fclib_global");
  sets = global_problem(), sets.integers["fclib_global/G/m"] = {1};
  EXPECT_EQ(refusal(sets), "f.h5: fclib_global/G is there: problems with equality constraints are not read");
}

TEST(FclibFile, RefusesAMatrixThatCouplesMoreThanMemoryHas) {
  Sets sets = global_problem();
  const std::int32_t unknowns = 10000;
  sets.numbers["fclib_global/vectors/f"] = Numbers(unknowns, 0.0);
  sets.set_matrix("fclib_global/M", unknowns, unknowns, 1, {0}, {unknowns - 1}, {1.0});
  sets.integers["fclib_global/H/m"] = {unknowns};
  EXPECT_EQ(refusal(sets), "f.h5: fclib_global/M couples more unknowns than is read");
}

TEST(FclibFile, DoesNotWriteJoints) {
  contact::Problem joint = std::get<contact::Problem>(read(global_problem()));
  joint.contacts[0].law = contact::Law::bilateral;
  EXPECT_EQ(encode_fclib(ExplicitDelassus(joint)).error().message(),
            "FCLIB: contact 0 is a joint; a file of FCLIB cannot hold it here");
}

}  // namespace
}  // namespace tendril
