// Conditions of a request on its answer (RFC 9110): one range of the bytes, and tags of what the asker has already.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tendril/serve/request.hpp"

namespace tendril::serve {

// An answer with a tag becomes 304 if the asker has it, 206 if a range was asked for, 416 if that lies outside. Several
// ranges at once get the whole; what is no range at all the library refuses before.
void apply_conditions(const Request& request, Response& response);

}  // namespace tendril::serve
