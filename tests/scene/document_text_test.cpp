#include <gtest/gtest.h>

#include "tendril/scene/document.hpp"

namespace tendril {
namespace {

const char* const text = R"(
title = "a \"b\" \\ \t é"
flag = true
[run]
whole = -3
real = 1e-9
round = 2.0
list = [1, [2.5, "x"], { a = 1, "b c" = 'd' }]
none = []
[[strands]]
source = { generator = "curly", count = 3 }
[[strands]]
name = 'second'
)";

TEST(DocumentText, ReadsBackTheSame) {
  const Document document = parse_document(text, "a.toml").value();
  const std::string written = to_toml(document);
  const Result<Document> again = parse_document(written, "b.toml");
  ASSERT_TRUE(again) << again.error().message() << "\n" << written;
  EXPECT_EQ(to_toml(again.value()), written);
  EXPECT_NE(written.find("[[strands]]"), std::string::npos);
  EXPECT_NE(written.find("round = 2.0"), std::string::npos);
  EXPECT_NE(written.find("\"b c\" = \"d\""), std::string::npos);
}

TEST(DocumentText, HasTheOverrides) {
  Document document = parse_document(text, "a.toml").value();
  ASSERT_TRUE(override_value("run.whole=7", document));
  EXPECT_NE(to_toml(document).find("whole = 7"), std::string::npos);
}

TEST(DocumentText, SortedDoesNotDependOnTheOrder) {
  const Document a = parse_document("[run]\nb = 1\na = 2\n[output]\nc = { y = 1, x = 2 }\n", "a").value();
  const Document b = parse_document("[output]\nc = { x = 2, y = 1 }\n[run]\na = 2\nb = 1\n", "b").value();
  EXPECT_EQ(to_toml(a, true), to_toml(b, true));
}

}  // namespace
}  // namespace tendril
