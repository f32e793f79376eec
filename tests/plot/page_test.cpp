#include "tendril/plot/page.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <limits>

#include "tendril/plot/data_table.hpp"
#include "xml_check.hpp"

namespace tendril::plot {
namespace {

using support::count;
using support::XmlCheck;

Chart chart(const std::string& title) {
  Chart out{.title = title, .description = "A sentence.", .x = {"time", "s"}, .y = {"energy", "J"}};
  out.add("a", {0.0, 1.0}, {1.0, 2.0});
  out.add("b", {0.0, 1.0}, {2.0, std::numeric_limits<double>::quiet_NaN()});
  return out;
}

Page page() {
  Page out("<shaken> & stirred");
  out.add_facts(std::vector<Fact>{{"outcome", "finished", Tone::good}, {"name", "\"x\"\x02"}});
  out.add_text("No <b>markup</b>.");
  out.add_heading("One");
  out.add(chart("First"));
  out.add(chart("Second"));
  out.add_list(std::vector<std::string>{"a < b", "c"});
  out.add_heading("Two");
  BarChart bars{.title = "Third", .value = {"time", "s"}};
  bars.categories.emplace_back("x");
  bars.add("s", {1.0});
  out.add(bars);
  out.add_table(
      {"Cap<tion>", {{"name"}, {"value", true}}, {{"a", Cell("✗ missed", Tone::bad)}, {"short"}, {"b", "&"}}});
  return out;
}

TEST(Page, IsWellFormedWithUniqueIds) {
  const std::string html = page().html();
  const XmlCheck xml(html);
  EXPECT_EQ(xml.fault, "");
  EXPECT_EQ(xml.ids.size(), 9u) << "three charts with three ids each";
  for (const std::string& label : xml.labels) EXPECT_TRUE(xml.ids.contains(label)) << label;
  EXPECT_EQ(page().charts(), 3u);
}

TEST(Page, IsTheSameEveryTime) { EXPECT_EQ(page().html(), page().html()); }

TEST(Page, FetchesAndRunsNothing) {
  const std::string html = page().html();
  const XmlCheck xml(html);
  for (const std::string& tag : xml.tags)
    EXPECT_FALSE(std::set<std::string>({"script", "link", "img", "iframe", "object", "use", "a"}).contains(tag)) << tag;
  for (const char* part : {"url(", "@import", "href", "src="}) EXPECT_EQ(count(html, part), 0u) << part;
  EXPECT_EQ(count(html, "default-src 'none'; style-src 'unsafe-inline'"), 1u);
}

TEST(Page, HasTheBasicsOfAccessibility) {
  const std::string html = page().html();
  for (const char* part : {"<html lang=\"en\"", "<meta charset=\"utf-8\"/>", "name=\"viewport\"", "<main>", "<caption>",
                           "scope=\"col\"", "scope=\"row\"", "prefers-color-scheme: dark", "@media print"})
    EXPECT_GE(count(html, part), 1u) << part;
  EXPECT_EQ(count(html, "role=\"img\""), 3u);
  EXPECT_EQ(count(html, "<details>"), 3u);
}

TEST(Page, KeepsHeadingsInOrder) {
  Page bare("bare");
  bare.add(chart("First"));
  EXPECT_EQ(count(bare.html(), "<h2 class=\"title\">First"), 1u) << "directly below the page's title";
  int level = 0;
  for (const std::string& tag : XmlCheck(page().html()).tags)
    if (tag.size() == 2 && tag[0] == 'h' && std::isdigit(static_cast<unsigned char>(tag[1]))) {
      EXPECT_LE(tag[1] - '0', level + 1);
      level = tag[1] - '0';
    }
}

TEST(Page, EscapesAllText) {
  const std::string html = page().html();
  EXPECT_EQ(count(html, "<b>"), 0u);
  EXPECT_EQ(count(html, "<shaken>"), 0u);
  EXPECT_EQ(count(html, "&lt;shaken&gt; &amp; stirred"), 2u);
}

TEST(Page, KnowsItsOwn) {
  EXPECT_TRUE(is_our_page(page().html()));
  EXPECT_FALSE(is_our_page("<!DOCTYPE html>\n<html></html>"));
  EXPECT_FALSE(is_our_page("{}"));
  EXPECT_FALSE(is_our_page(""));
}

TEST(Page, BoundsLongTablesAndLists) {
  Table table{"rows", {{"n"}}, {}};
  std::vector<std::string> items;
  for (int i = 0; i < 2000; ++i) table.rows.push_back({std::to_string(i)}), items.push_back("x");
  Page long_page("long");
  long_page.add_table(table);
  long_page.add_list(items);
  const std::string html = long_page.html();
  EXPECT_EQ(count(html, "<th scope=\"row\""), most_rows);
  EXPECT_GE(count(html, "the first 500 of 2000 rows"), 1u);
  EXPECT_EQ(count(html, "and 1500 more"), 1u);
}

TEST(DataTable, SharesRowsOfTheSameX) {
  const Table table = data_table(chart("Energy"));
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[0].name, "time [s]");
  EXPECT_EQ(table.columns[2].name, "b [J]");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1][1].text, "2");
  EXPECT_EQ(table.rows[1][2].text, "") << "not a number";
}

TEST(DataTable, ListsSeriesOfDifferentXOneAfterTheOther) {
  Chart two = chart("Energy");
  two.series[1].x = {0.0, 3.0};
  const Table table = data_table(two);
  ASSERT_EQ(table.columns.size(), 3u);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[3][0].text, "b");
  EXPECT_EQ(table.rows[3][1].text, "3");
}

TEST(DataTable, IsThinnedAndSaysSo) {
  std::vector<double> values(1000, 1.0);
  Chart long_chart{.title = "Energy"};
  long_chart.add("a", values, values);
  EXPECT_LE(data_table(long_chart).rows.size(), most_data_rows);
  EXPECT_EQ(data_table(long_chart).caption, "Data of Energy, every 5th value");
  long_chart.add("b", std::vector<double>(600, 2.0), std::vector<double>(600, 1.0));
  EXPECT_LE(data_table(long_chart).rows.size(), most_data_rows + 2);
  EXPECT_TRUE(data_table(Chart{}).rows.empty());
  EXPECT_TRUE(data_table(BarChart{}).rows.empty());
  Chart empty_series{.title = "none"};
  empty_series.add("a", {}, {});
  EXPECT_TRUE(data_table(empty_series).rows.empty());
}

}  // namespace
}  // namespace tendril::plot
