#include "tendril/plot/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

using nlohmann::json;

const json& at(const json& object, const char* key) {
  static const json nothing;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : nothing;
}

double number(const json& value) { return value.is_number() ? value.get<double>() : unknown; }

std::string text(const json& value) { return value.is_string() ? value.get<std::string>() : ""; }

std::optional<bool> truth(const json& value) {
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

// A claim's entry: a number, a range or words.
std::string entry(const json& value) {
  if (value.is_number()) return number_text(value.get<double>(), 6);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return text(value);
}

template <class F>
void for_each_object(const json& list, F&& f) {
  if (!list.is_array()) return;
  for (const json& item : list)
    if (item.is_object()) f(item);
}

std::vector<std::pair<std::string, double>> named_numbers(const json& object) {
  std::vector<std::pair<std::string, double>> out;
  if (object.is_object())
    for (const auto& [key, value] : object.items())
      if (value.is_number()) out.emplace_back(key, value.get<double>());
  return out;
}

std::vector<FrameColumn> frame_columns(const json& records) {
  std::map<std::string, std::vector<double>> columns;
  std::size_t frames = 0;
  for_each_object(records, [&](const json& record) {
    for (const auto& [key, value] : record.items()) {
      if (!value.is_number() && !value.is_boolean()) continue;
      std::vector<double>& column = columns[key];
      column.resize(frames, unknown);
      column.push_back(value.is_boolean() ? double(value.get<bool>()) : value.get<double>());
    }
    ++frames;
  });
  for (auto& [key, column] : columns) column.resize(frames, unknown);
  return {columns.begin(), columns.end()};
}

Case case_of(const json& in) {
  Case out{text(at(in, "case")),
           text(at(in, "quantity")),
           text(at(in, "unit")),
           number(at(in, "exact")),
           number(at(in, "ours")),
           number(at(in, "error_relative")),
           number(at(in, "tolerance")),
           number(at(in, "order")),
           number(at(in, "expected_order")),
           truth(at(in, "pass")),
           {},
           {}};
  for_each_object(at(in, "refinements"), [&](const json& step) {
    out.resolutions.push_back(number(at(step, "n"))), out.errors.push_back(number(at(step, "error")));
  });
  return out;
}

bool is_claim(const json& item) { return item.is_object() && item.contains("paper") && item.contains("ours"); }

void add_claims(const json& list, std::vector<Claim>& claims) {
  for_each_object(list, [&](const json& item) {
    if (is_claim(item))
      claims.push_back({entry(at(item, "id")), entry(at(item, "paper")), entry(at(item, "ours")),
                        entry(at(item, "required")), truth(at(item, "held"))});
  });
}

void read_lists(const json& in, Report& out) {
  for (const json& note : at(in, "notes"))
    if (note.is_string()) out.notes.push_back(note.get<std::string>());
  out.repairs = named_numbers(at(in, "repairs"));
  out.stages = named_numbers(at(in, "stage_seconds"));
  out.frames = frame_columns(at(in, "frame_records"));
  for_each_object(at(in, "worst_strands"), [&](const json& s) {
    out.worst.push_back({text(at(s, "set")), number(at(s, "strand")), number(at(s, "frame")), number(at(s, "stretch")),
                         number(at(s, "curvature")), number(at(s, "speed"))});
  });
  for_each_object(at(in, "bars"), [&](const json& bar) {
    out.bars.push_back(
        {text(at(bar, "name")), number(at(bar, "value")), number(at(bar, "bound")), truth(at(bar, "holds"))});
  });
  for_each_object(at(in, "cases"), [&](const json& item) { out.cases.push_back(case_of(item)); });
}

}  // namespace

bool Report::is_run() const { return text("command") == "run" || !frames.empty() || !stages.empty(); }

double Report::number(const std::string& key) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? unknown : found->second;
}

std::string Report::text(const std::string& key) const {
  const auto found = texts.find(key);
  return found == texts.end() ? "" : found->second;
}

const std::vector<double>* Report::frame_column(std::string_view key) const {
  const auto found = std::ranges::find(frames, key, &FrameColumn::first);
  return found == frames.end() ? nullptr : &found->second;
}

Result<Report> parse_report(std::string_view text, const std::string& file) {
  const json in = json::parse(text, nullptr, false);
  if (in.is_discarded()) return Error{file, "is not JSON, or only a part of it; give a file that --report wrote"};
  Report out;
  out.file = file;
  add_claims(in, out.claims);
  if (in.is_object()) {
    for (const auto& [key, value] : in.items()) {
      if (value.is_number()) out.numbers[key] = value.get<double>();
      if (value.is_string()) out.texts[key] = value.get<std::string>();
      add_claims(value, out.claims);
    }
    read_lists(in, out);
  }
  if (!out.is_run() && out.bars.empty() && out.cases.empty() && out.claims.empty())
    return Error{
        file,
        "is JSON, but no report of run, bench or validate; give what --report of one of these wrote, or the folder of "
        "a run"};
  return out;
}

}  // namespace tendril::plot
