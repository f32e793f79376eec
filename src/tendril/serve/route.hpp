// From request to answer, without sockets. Names and numbers of a request are looked up in lists of what there is; no
// text of a request ever becomes a part of a file's path.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tendril/serve/live.hpp"
#include "tendril/serve/page_files.hpp"
#include "tendril/serve/request.hpp"
#include "tendril/serve/run_source.hpp"

namespace tendril::serve {

struct Site {
  std::uint16_t port = 0;
  PageFiles page;
  std::vector<std::unique_ptr<RunSource>> runs;  // one, or two to compare
  Live* live = nullptr;                          // the only run, if it is one
};

Response route(const Site& site, const Request& request);

// Why a request is refused whatever its body is: asked before the body is read.
std::optional<Response> refused_unread(const Site& site, const Request& request);

}  // namespace tendril::serve
