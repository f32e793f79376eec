#include "tendril/io/any_contact_problem.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "tendril/io/contact_problem_file.hpp"

namespace tendril {
namespace {

using AnyContactProblemTest = support::TemporaryFolder;

AnyContactProblem one_contact(const std::string& m) {
  const std::string rest = R"(, "f": [1, -1, 0], "H": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "w": [0, 0, 0], "mu": [0.3]})";
  return decode_contact_problem(R"({"M": )" + m + rest).value();
}
const char* const good_m = "[[2, 1, 0], [1, 2, 0], [0, 0, 1]]";

TEST_F(AnyContactProblemTest, IsChosenByItsExtension) {
  const AnyContactProblem problem = one_contact(good_m);
  for (const char* name : {"a.json", "a.h5", "a.hdf5"}) ASSERT_TRUE(write_any_contact_problem(folder / name, problem));
  EXPECT_TRUE(std::holds_alternative<contact::Problem>(read_any_contact_problem(folder / "a.json").value()));
  const AnyContactProblem by_w = read_any_contact_problem(folder / "a.hdf5").value();
  ASSERT_TRUE(std::holds_alternative<contact::ExplicitDelassus>(by_w));
  EXPECT_NEAR(std::get<contact::ExplicitDelassus>(by_w).diagonal(0)(0, 1), -1.0 / 3.0, 1e-15);
  EXPECT_TRUE(write_any_contact_problem(folder / "b.h5", by_w));
}

TEST_F(AnyContactProblemTest, SaysWhatCannotBe) {
  const auto refusal = [&](const char* name, const AnyContactProblem& problem) {
    const Status status = write_any_contact_problem(folder / name, problem);
    return status ? "written" : status.error().what;
  };
  const AnyContactProblem by_w = contact::ExplicitDelassus(std::get<contact::Problem>(one_contact(good_m)));
  EXPECT_EQ(refusal("a.json", by_w), "the problem is given by W, and JSON has M, f and H; write .h5");
  EXPECT_EQ(refusal("a.txt", by_w), "'.txt' is not a format of contact problems; there are .json, .h5 and .hdf5");
  EXPECT_EQ(refusal("a.h5", one_contact("[[1, 2, 0], [2, 1, 0], [0, 0, 1]]")), "M: is not positive definite");
  EXPECT_FALSE(read_any_contact_problem(folder / "a.txt"));
}

}  // namespace
}  // namespace tendril
