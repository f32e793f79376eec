#include "tendril/serve/route.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>

#include "tendril/base/build_info.hpp"
#include "tendril/serve/conditions.hpp"
#include "tendril/serve/guard.hpp"
#include "tendril/serve/target.hpp"

namespace tendril::serve {
namespace {

using Path = std::span<const std::string>;
constexpr const char *frame_type = "application/octet-stream", *csv_type = "text/csv; charset=utf-8";

Response not_found() { return refusal(404, "there is nothing at this address"); }

Response not_allowed(const char* methods) {
  Response response = refusal(405, fmt::format("the methods of this address are {}", methods));
  response.allow = methods;
  return response;
}

Response from(Result<Content> content, const char* type) {
  if (!content) return refusal(404, content.error().message());
  return answer(std::move(content.value()), type);
}

bool is(Path path, std::initializer_list<std::string_view> names) { return std::ranges::equal(path, names); }

bool is_live_order(Path path) { return is(path, {"api", "live", "controls"}) || is(path, {"api", "live", "drag"}); }

Response view_json(const Site& site) {
  std::string runs;
  for (std::size_t i = 0; i < site.runs.size(); ++i) runs += (i == 0 ? "" : ",") + to_json(site.runs[i]->facts(), i);
  return json_answer(fmt::format(R"({{"version":"{}","live":{},"runs":[{}]}})"
                                 "\n",
                                 version(), site.live != nullptr, runs));
}

// Behind /api/runs/ID.
Response run_content(RunSource& run, Path path) {
  if (path.size() == 2 && path[0] == "frames") {
    const std::optional<int> number = whole_number(path[1]);
    return number ? from(run.frame(*number), frame_type) : refusal(400, "frames have whole numbers");
  }
  if (path.size() == 2 && path[0] == "bodies") {
    const std::optional<int> index = whole_number(path[1]);
    return index ? from(run.body(std::size_t(*index)), frame_type) : refusal(400, "bodies have whole numbers");
  }
  if (path.size() == 2 && path[0] == "probes" && path[1].ends_with(".csv"))
    return from(run.probe(path[1].substr(0, path[1].size() - 4)), csv_type);
  if (is(path, {"rest"})) return from(run.rest(), frame_type);
  if (is(path, {"records.csv"})) return from(run.records(), csv_type);
  if (is(path, {"report.json"})) return from(run.report(), "application/json");
  return not_found();
}

Response live_content(Live& live, Path path, const std::string& query) {
  if (is(path, {"state.json"})) return json_answer(live.state_json());
  if (!is(path, {"frame"})) return not_found();
  const std::optional<int> after = query.empty() ? 0 : query_number(query, "after");
  if (!after) return refusal(400, "the query must be after=N");
  Response response;
  response.waits_after = *after;
  return response;
}

Response get(const Site& site, Path path, const std::string& query) {
  if (is(path, {""})) return site.page.index();
  if (path.size() == 2 && path[0] == "page") return site.page.page(path[1]);
  if (path.size() == 2 && path[0] == "lib") return site.page.library(path[1]);
  if (is(path, {"api", "view.json"})) return view_json(site);
  if (path.size() >= 4 && path[0] == "api" && path[1] == "runs") {
    const std::optional<int> id = whole_number(path[2]);
    if (!id || std::size_t(*id) >= site.runs.size()) return refusal(404, "there is no such run");
    return run_content(*site.runs[std::size_t(*id)], path.subspan(3));
  }
  if (is_live_order(path)) return not_allowed("POST");
  if (site.live != nullptr && path.size() == 3 && path[0] == "api" && path[1] == "live")
    return live_content(*site.live, path.subspan(2), query);
  return not_found();
}

Response post(Live& live, Path path, const std::string& body) {
  const bool drags = path[2] == "drag";
  if (Status status = drags ? live.drag(body) : live.control(body); !status)
    return refusal(400, status.error().message());
  if (!drags) return json_answer(live.state_json());
  Response done;
  done.status = 204;
  return done;
}

bool is_json(const std::optional<std::string>& type) {
  return type && (*type == "application/json" || type->starts_with("application/json;"));
}

}  // namespace

std::optional<Response> refused_unread(const Site& site, const Request& request) {
  if (std::optional<Response> refused = guard(site.port, request)) return refused;
  const std::optional<Target> target = parse_target(request.target);
  if (!target) return refusal(400, "the address cannot be read");
  if (request.method != "POST") return std::nullopt;
  if (site.live == nullptr || !is_live_order(target->path)) return not_allowed("GET, HEAD");
  if (!is_json(request.content_type)) return refusal(400, "the Content-Type must be application/json");
  return std::nullopt;
}

Response route(const Site& site, const Request& request) {
  if (std::optional<Response> refused = refused_unread(site, request)) return *refused;
  const Target target = *parse_target(request.target);
  if (request.method == "POST") return post(*site.live, target.path, request.body);
  Response response = get(site, target.path, target.query);
  apply_conditions(request, response);
  return response;
}

}  // namespace tendril::serve
