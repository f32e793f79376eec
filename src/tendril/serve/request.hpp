// A request and its answer as plain values: what to answer is decided without sockets (route.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tendril/serve/content.hpp"

namespace tendril::serve {

struct Request {
  std::string method;
  std::string target;  // as it came: "/api/runs/0/frames/12?x=1"
  std::string body;
  // Headers that matter; one that came twice has both values with ", " between them.
  std::string host;
  std::optional<std::string> origin, fetch_site, fetch_dest, content_type, content_length, content_encoding,
      transfer_encoding, range, if_range, if_none_match;
};

// Takes a header if it matters. Names are the same in any case.
void add_header(std::string_view name, std::string_view value, Request& request);

struct Response {
  int status = 200;
  std::string type = "application/json";
  Content content;
  // The part of the content that is sent: all of it, unless a range was asked for.
  std::uint64_t from = 0, length = 0;
  std::string range;                        // which part that is, for status 206 and 416: "bytes 0-9/100"
  std::string allow;                        // methods, for status 405
  std::optional<std::int64_t> waits_after;  // the answer is the first frame of a live simulation after this one
};

Response answer(Content content, std::string type);
Response json_answer(std::string text);
// {"error": what}
Response refusal(int status, const std::string& what);

}  // namespace tendril::serve
