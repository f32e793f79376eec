#include "tendril/io/contact_problem_file.hpp"

#include <gtest/gtest.h>

namespace tendril {
namespace {

constexpr const char* two_blocks =
    R"({"M": [[[2, 1], [1, 2]], [[3]]], "f": [[1, -1], [0.5]], "oa": [0, 1], "ob": [1, -1],
  "Ha": [[[1, 0], [0, 1], [0, 0]], [[1], [0], [0]]], "Hb": [[[-1], [0], [0]], []], "w": [[0, 0.1, 0], [-0.2, 0, 0]],
  "mu": [0.3, 0]})";

TEST(ContactProblemFile, ReadsBlocksAndSides) {
  const Result<contact::Problem> problem = decode_contact_problem(two_blocks);
  ASSERT_TRUE(problem) << problem.error().message();
  const contact::Problem& p = problem.value();
  ASSERT_EQ(p.blocks.size(), 2u);
  EXPECT_EQ(p.blocks[1].first, 2u);
  EXPECT_EQ(p.matrix(p.blocks[0])(0, 1), 1.0);
  EXPECT_EQ(p.f, (std::vector{1.0, -1.0, 0.5}));
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p.contacts[0].b.block, 1);
  EXPECT_EQ(p.contacts[1].b.block, contact::Side::none);
  EXPECT_EQ(p.contacts[0].drift, Eigen::Vector3d(0.0, 0.1, 0.0));
  EXPECT_EQ(p.contacts[0].a.count, 2u);
  EXPECT_EQ(p.entries_of(p.contacts[0].b)[0].coefficient, Eigen::Vector3d(-1.0, 0.0, 0.0));
}

TEST(ContactProblemFile, WritesWhatItReads) {
  const std::string text = encode_contact_problem(decode_contact_problem(two_blocks).value());
  EXPECT_EQ(encode_contact_problem(decode_contact_problem(text).value()), text);
}

TEST(ContactProblemFile, KeepsBlocksThatAreGivenByTheirInverses) {
  contact::Problem problem;
  problem.add_block(Eigen::Matrix2d::Identity(), Eigen::Vector2d(1.0, 2.0));
  problem.add_compliance(Eigen::Matrix2d::Identity() * 3.0, Eigen::Vector2d(4.0, 5.0));
  const contact::Problem read = decode_contact_problem(encode_contact_problem(problem)).value();
  ASSERT_EQ(read.blocks.size(), 2u);
  EXPECT_EQ(read.blocks[0].given, contact::Given::matrix);
  EXPECT_EQ(read.blocks[1].given, contact::Given::inverse);
  EXPECT_EQ(read.matrices, problem.matrices);
  EXPECT_EQ(read.f, problem.f);
}

TEST(ContactProblemFile, KeepsJoints) {
  contact::Problem problem = decode_contact_problem(two_blocks).value();
  problem.contacts[1].law = contact::Law::bilateral;
  const contact::Problem read = decode_contact_problem(encode_contact_problem(problem)).value();
  EXPECT_EQ(read.contacts[0].law, contact::Law::coulomb);
  EXPECT_EQ(read.contacts[1].law, contact::Law::bilateral);
}

TEST(ContactProblemFile, ReadsCollections) {
  const std::string one = R"({"M": [[1]], "f": [1], "mu": [], "w": [], "H": []})", two = two_blocks;
  const auto both = decode_contact_problems(R"({"problems": [)" + one + R"(, {"kind": "hair", "data": )" + two + "}]}");
  ASSERT_TRUE(both) << both.error().message();
  ASSERT_EQ(both.value().size(), 2u);
  EXPECT_EQ(both.value()[0].size(), 0u);
  EXPECT_EQ(encode_contact_problem(both.value()[1]), encode_contact_problem(decode_contact_problem(two).value()));
  EXPECT_EQ(decode_contact_problems(two).value().size(), 1u);
  EXPECT_EQ(decode_contact_problem(R"({"problems": []})").error().message(),
            "problems: is a collection; this reads one problem");
  EXPECT_EQ(decode_contact_problems(R"({"problems": 3})").error().message(), "problems: must be an array");
  EXPECT_EQ(decode_contact_problems(R"({"problems": [)" + one + ", 5]}").error().message(),
            "problem 1: problem: is not a JSON object");
}

TEST(ContactProblemFile, RefusesWhatIsWrongByKey) {
  for (const auto& [text, key] :
       {std::pair{R"({"f": [1], "mu": [], "w": [], "H": []})", "M"},
        {R"({"M": [[1]], "f": [[[[1]]]], "mu": [], "w": [], "H": []})", "f"},
        {R"({"M": [null], "compliance": [[[1], [2]]], "f": [1], "mu": [], "w": [], "H": []})", "compliance"},
        {R"({"M": [[1]], "f": [1], "mu": "high", "w": [], "H": []})", "mu"},
        {R"({"M": [[1]], "f": [1], "mu": [0], "w": [0, 0, 0], "H": [[1], [1]]})", "H"},
        {R"({"M": [[1]], "f": [1], "mu": [0], "w": [0, 0, 0], "Ha": [], "Hb": [],
                                       "oa": [0.5], "ob": [-1]})",
         "oa"},
        {R"({"M": [[1]], "f": [1], "mu": [0], "w": [0, 0, 0], "Ha": [5], "Hb": [[]], "oa": [0], "ob": [-1]})", "Ha"},
        {R"({"M": [[[1]], 5], "f": [1], "mu": [], "w": [], "H": []})", "M"},
        {R"({"M": [[1]], "f": [1], "mu": [0], "w": [0, 0, 0], "H": [[1], [0], [0]], "law": ["glue"]})", "law"}}) {
    const Result<contact::Problem> refused = decode_contact_problem(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().message().substr(0, std::string_view(key).size() + 1), std::string(key) + ":");
  }
}

}  // namespace
}  // namespace tendril
