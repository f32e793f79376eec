// libFuzzer entry: any bytes as an HTTP request to the page's server, without sockets; its body also as orders to a
// live simulation. To build it:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -Ibuild/release/generated
//     $(pkg-config --cflags eigen3) fuzz/request_fuzz.cpp
//     src/tendril/serve/{conditions,content,guard,inner_file,live,live_orders,live_run,page_files,request,root_drag}.cpp
//     src/tendril/serve/{route,run_facts,run_source,target}.cpp build/release/libtendril_core.a -lfmt
//     -ltomlplusplus -lembree3 -lhdf5_serial -o request_fuzz
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tendril/serve/live_orders.hpp"
#include "tendril/serve/route.hpp"

namespace {

using namespace tendril;
using namespace tendril::serve;

void must(bool holds) {
  if (!holds) std::abort();
}

// A run that is nowhere on disk.
class SmallRun : public RunSource {
 public:
  RunFacts facts() override {
    RunFacts facts;
    facts.name = "small", facts.frames = {1, 2}, facts.probes = {"tip"};
    facts.strands = 1, facts.vertices = 2;
    return facts;
  }
  Result<Content> frame(int number) override { return number == 1 || number == 2 ? bytes() : none(); }
  Result<Content> rest() override { return bytes(); }
  Result<Content> body(std::size_t index) override { return index == 0 ? bytes() : none(); }
  Result<Content> records() override { return bytes(); }
  Result<Content> probe(const std::string& name) override { return name == "tip" ? bytes() : none(); }
  Result<Content> report() override { return none(); }

 private:
  static Result<Content> bytes() { return Content::with_tag(std::as_bytes(std::span("0123456789"))); }
  static Result<Content> none() { return Error{"small", "is not there"}; }
};

const Site& small_site() {
  static const Site site = [] {
    Site made;
    made.port = 8000;
    made.runs.push_back(std::make_unique<SmallRun>());
    return made;
  }();
  return site;
}

// The first line up to its blanks, then a header per line, then the body.
Request split(std::string_view text) {
  const auto take = [&text](std::string_view end) {
    const std::size_t at = text.find(end);
    const std::string_view piece = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
    return piece;
  };
  Request request;
  request.method = take(" ");
  request.target = take(" ");
  take("\r\n");
  while (!text.empty()) {
    const std::string_view line = take("\r\n");
    if (line.empty()) break;
    const std::size_t colon = line.find(": ");
    if (colon != std::string_view::npos) add_header(line.substr(0, colon), line.substr(colon + 2), request);
  }
  request.body = text;
  return request;
}

void check_answer(const Request& request, const Response& response) {
  must(response.from <= response.content.size() && response.length <= response.content.size() - response.from);
  std::string body(response.length, '\0');
  must(response.content.read(response.from, body));
  if (response.status >= 400) must(nlohmann::json::parse(body)["error"].is_string());
  if (response.status < 400) {
    must(request.host == "127.0.0.1:8000" || request.host == "localhost:8000");
    must(request.method == "GET" || request.method == "HEAD");
    must(!request.origin || request.origin->ends_with("//" + request.host) || request.origin->ends_with(":8000"));
  }
  if (response.status == 206) must(!response.range.empty() && response.length > 0);
}

void check_orders(const std::string& body) {
  if (const Result<ControlOrder> order = parse_controls(body)) {
    must(!order.value().gravity || order.value().gravity->allFinite());
    must(!order.value().stiffness || *order.value().stiffness > 0.0);
  } else {
    must(!order.error().what.empty());
  }
  if (const Result<DragOrder> order = parse_drag(body); order && order.value().goal) {
    must(order.value().goal->offset.allFinite());
    must(std::abs(order.value().goal->turn.norm() - 1.0) < 1e-9);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Request request = split({reinterpret_cast<const char*>(data), size});
  check_answer(request, route(small_site(), request));
  check_orders(request.body);
  return 0;
}
