#include "tendril/scene/document.hpp"

#include <gtest/gtest.h>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

const std::string text =
    "[run]\n"
    "fps = 60\n"
    "name = \"a\"\n"
    "\n"
    "[[strands]]\n"
    "material = { young = 3.5, hard = true, list = [1, 2] }\n";

Document good() { return parse_document(text, "scene.toml").value(); }

const Value& at(const Value& value, std::string_view key) { return find(std::get<ValueTable>(value.held), key)->value; }

std::string refusal(const std::string& toml) {
  const auto document = parse_document(toml, "scene.toml");
  return document ? "accepted" : document.error().message();
}

std::string refused_override(const std::string& assignment) {
  Document document = good();
  const Status status = override_value(assignment, document);
  return status ? "accepted" : status.error().message();
}

TEST(Document, HoldsEveryKindOfValueWithItsPlace) {
  const Document document = good();
  const Value& material = at(std::get<ValueArray>(at(document.root, "strands").held)[0], "material");
  EXPECT_EQ(std::get<std::int64_t>(at(at(document.root, "run"), "fps").held), 60);
  EXPECT_EQ(std::get<std::string>(at(at(document.root, "run"), "name").held), "a");
  EXPECT_EQ(std::get<double>(at(material, "young").held), 3.5);
  EXPECT_EQ(std::get<bool>(at(material, "hard").held), true);
  EXPECT_EQ(std::get<ValueArray>(at(material, "list").held).size(), 2u);
  EXPECT_EQ(document.where(at(material, "young").place), "scene.toml:6:22");
  EXPECT_EQ(document.where(find(std::get<ValueTable>(material.held), "young")->place), "scene.toml:6:14");
  EXPECT_EQ(kind_name(at(material, "list")), "a list");
}

TEST(Document, NamesThePlaceOfBrokenToml) {
  EXPECT_EQ(refusal("a = 1\nb = \n"),
            "scene.toml:2:5: this is not TOML: Error while parsing key-value pair: expected value, saw '\\n'");
  EXPECT_EQ(
      refusal("a = 1\na = 2\n"),
      "scene.toml:2:5: this is not TOML: Error while parsing key-value pair: cannot redefine existing integer 'a'");
  EXPECT_EQ(refusal("day = 2024-05-01\n"), "scene.toml:1:7: dates and times of day mean nothing in a scene");
}

TEST(Document, TakesLettersOfAllAlphabets) {
  const std::string toml = "# \u00E9t\u00E9 \u3042 \uFB01\na = \"40 \u00B5m \u00B0 \u4E2D \u3042 \uFB01 \U0001F600\"\n";
  const auto document = parse_document(toml, "scene.toml");
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(std::get<std::string>(at(document.value().root, "a").held),
            "40 \u00B5m \u00B0 \u4E2D \u3042 \uFB01 \U0001F600");
}

TEST(Document, RefusesBrokenHeadersWithoutAnAssertion) {
  for (const char* toml : {"[[=", "[=]", "[[[1]]]", "[[[a]]]\n"})
    EXPECT_NE(refusal(toml).find("this is not TOML"), std::string::npos) << toml;
}

TEST(Document, RefusesWhatWouldOverflowTheStack) {
  std::string dotted = "a = 1\n# ...............................\nb = \"..........................\"\na";
  for (int i = 0; i < 100000; ++i) dotted += ".a";
  EXPECT_EQ(refusal(dotted + " = 1\n"), "scene.toml:4:34: more than 16 dots in one key");
  EXPECT_NE(refusal("a = " + std::string(100000, '[')).find("nested"), std::string::npos);
  EXPECT_EQ(refusal("a = \"\"\"x\"\"\"\"\"\nb = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.1, 1.2, 1.3, 1.4, 1.5, "
                    "1.6, 1.7, 1.8]\nc = '.................................'\n"),
            "accepted");
}

TEST(Override, ReplacesAndAddsValues) {
  Document document = good();
  ASSERT_TRUE(override_value("run.fps=24", document));
  ASSERT_TRUE(override_value("strands.0.material.young=\"2 GPa\"", document));
  ASSERT_TRUE(override_value("strands.0.material.list.1=7", document));
  ASSERT_TRUE(override_value("output.dir=some/where", document));
  ASSERT_TRUE(override_value("run.wind=[1, 0, 0]", document));
  const Value& material = at(std::get<ValueArray>(at(document.root, "strands").held)[0], "material");
  EXPECT_EQ(std::get<std::int64_t>(at(at(document.root, "run"), "fps").held), 24);
  EXPECT_EQ(std::get<std::string>(at(material, "young").held), "2 GPa");
  EXPECT_EQ(std::get<std::int64_t>(std::get<ValueArray>(at(material, "list").held)[1].held), 7);
  EXPECT_EQ(std::get<std::string>(at(at(document.root, "output"), "dir").held), "some/where");
  EXPECT_EQ(document.where(at(material, "young").place), "--set strands.0.material.young=\"2 GPa\"");
}

TEST(Override, TakesWhatIsNotTomlAsAText) {
  Document document = good();
  for (const char* value : {"2 GPa", "static", "a = 1", "1\nfps = 2", "", "\"open"}) {
    ASSERT_TRUE(override_value(std::string("run.x=") + value, document));
    EXPECT_EQ(std::get<std::string>(at(at(document.root, "run"), "x").held), value);
  }
}

TEST(Override, RefusesPathsThatLeadNowhere) {
  EXPECT_EQ(refused_override("run.fps"), "--set run.fps: write key=value, such as run.fps=24");
  EXPECT_EQ(refused_override("=3"), "--set =3: write key=value, such as run.fps=24");
  EXPECT_EQ(refused_override("run..fps=3"),
            "--set run..fps=3: a part of the key is empty; write key=value, such as run.fps=24");
  EXPECT_EQ(refused_override("strands.1.name=x"),
            "--set strands.1.name=x: '1' is no index of a list of 1, counted from 0");
  EXPECT_EQ(refused_override("strands.name=x"),
            "--set strands.name=x: 'name' is no index of a list of 1, counted from 0");
  EXPECT_EQ(refused_override("strands.99999999999999999999=x"),
            "--set strands.99999999999999999999=x: '99999999999999999999' is no index of a list of 1, counted from 0");
  EXPECT_EQ(refused_override("run.fps.x=3"), "--set run.fps.x=3: 'x' cannot be set in a whole number");
}

TEST(Document, SurvivesMutations) {
  for (std::uint64_t round = 0; round < 5000; ++round) {
    Random random(9, round);
    std::string toml = text;
    for (auto changes = 1 + random.below(6); changes > 0; --changes) {
      const std::size_t place = random.below(toml.size());
      switch (random.below(4)) {
        case 0: toml[place] = static_cast<char>(random.below(256)); break;
        case 1: toml[place] = "[]{}=\",.#'\\\n"[random.below(12)]; break;
        case 2: toml.insert(place, toml.substr(random.below(toml.size()), random.below(20))); break;
        case 3: toml.erase(place, random.below(8) + 1); break;
      }
      if (toml.empty()) toml = "a";
    }
    const auto document = parse_document(toml, "scene.toml");
    EXPECT_TRUE(document || !document.error().what.empty());
  }
}

}  // namespace
}  // namespace tendril
