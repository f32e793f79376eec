// Who may ask. The server listens on this machine only, but every web page in the user's browser can send requests to
// it: a page of another origin, or a host name that was made to lead here, must learn nothing and change nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "tendril/serve/request.hpp"

namespace tendril::serve {

inline constexpr std::size_t longest_target = 2048, largest_body = 4096;  // [bytes]

// Why the request is not answered; nothing: it is. The body need not be there yet.
std::optional<Response> guard(std::uint16_t port, const Request& request);

}  // namespace tendril::serve
