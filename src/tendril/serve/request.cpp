#include "tendril/serve/request.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

namespace tendril::serve {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, small, small);
}

}  // namespace

void add_header(std::string_view name, std::string_view value, Request& request) {
  using Field = std::optional<std::string> Request::*;
  static constexpr std::array<std::pair<std::string_view, Field>, 10> known = {
      {{"origin", &Request::origin},
       {"sec-fetch-site", &Request::fetch_site},
       {"sec-fetch-dest", &Request::fetch_dest},
       {"content-type", &Request::content_type},
       {"content-length", &Request::content_length},
       {"content-encoding", &Request::content_encoding},
       {"transfer-encoding", &Request::transfer_encoding},
       {"range", &Request::range},
       {"if-range", &Request::if_range},
       {"if-none-match", &Request::if_none_match}}};
  if (same_name(name, "host")) {
    request.host += request.host.empty() ? std::string(value) : ", " + std::string(value);
    return;
  }
  for (const auto& [known_name, field] : known)
    if (same_name(name, known_name))
      request.*field = request.*field ? *(request.*field) + ", " + std::string(value) : std::string(value);
}

Response answer(Content content, std::string type) {
  Response response;
  response.type = std::move(type);
  response.length = content.size();
  response.content = std::move(content);
  return response;
}

Response json_answer(std::string text) { return answer(Content(std::move(text)), "application/json"); }

Response refusal(int status, const std::string& what) {
  // Names in an error may be of any bytes; the answer is UTF-8.
  Response response = json_answer(
      nlohmann::json{{"error", what}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  response.status = status;
  return response;
}

}  // namespace tendril::serve
