#include "tendril/serve/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tendril::serve {
namespace {

bool is_own(std::string_view host, std::uint16_t port) {
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

bool is_own_origin(std::string_view origin, std::uint16_t port) {
  constexpr std::string_view scheme = "http://";
  return origin.starts_with(scheme) && is_own(origin.substr(scheme.size()), port);
}

// A link elsewhere may lead a person to the page; that tells the linking site nothing.
bool comes_from_here(const Request& request) {
  const std::string site = request.fetch_site.value_or("none");
  const bool follows_link = request.fetch_dest == "document" && request.method == "GET" && request.target == "/";
  return site == "none" || site == "same-origin" || follows_link;
}

std::optional<Response> check_body(const Request& request) {
  if (request.transfer_encoding || request.content_encoding)
    return refusal(400, "a body must come as it is, with a Content-Length");
  const std::string length = request.content_length.value_or("0");
  const bool digits = !length.empty() && std::ranges::all_of(length, [](unsigned char c) { return std::isdigit(c); });
  if (!digits) return refusal(400, "the Content-Length is not a number");
  if (length.size() > 6 || std::stoul(length) > largest_body || request.body.size() > largest_body)
    return refusal(413, fmt::format("a body may have {} bytes", largest_body));
  return std::nullopt;
}

}  // namespace

std::optional<Response> guard(std::uint16_t port, const Request& request) {
  if (!is_own(request.host, port)) return refusal(403, "the Host is not this server's");
  if (request.origin && !is_own_origin(*request.origin, port))
    return refusal(403, "pages of other sites get no answer");
  if (!comes_from_here(request)) return refusal(403, "requests from other sites get no answer");
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    Response response = refusal(405, "the methods are GET, HEAD and POST");
    response.allow = "GET, HEAD, POST";
    return response;
  }
  if (request.target.size() > longest_target)
    return refusal(400, fmt::format("an address may have {} bytes", longest_target));
  return check_body(request);
}

}  // namespace tendril::serve
