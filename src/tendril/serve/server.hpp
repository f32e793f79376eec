// The page's server: HTTP on 127.0.0.1 and nowhere else. Whatever a client does, its connection ends after a while and
// takes up little memory meanwhile; the numbers are below.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/serve/route.hpp"

namespace tendril::serve {

struct ServerLimits {
  std::size_t connections = 16;                // answered at once; further ones wait
  std::size_t waiting_for_frames = 4;          // of those; further ones are refused
  std::size_t requests = 1000;                 // of one connection
  std::size_t head = 32768;                    // [bytes] of a request; cookies of other local servers may be long
  std::chrono::milliseconds patience{5000};    // for the head of a request, for its body, for the next request, and for
                                               // a client that does not take bytes
  std::chrono::milliseconds longest{60000};    // for a whole answer
  std::chrono::milliseconds frame_wait{5000};  // for the next frame of a live simulation
};

struct ServerCounts {
  std::uint64_t requests = 0, refused = 0, bytes = 0;
};

class Server {
 public:
  // Takes the port, 0 for any free one, and tells the site; run() begins to answer.
  static Result<std::unique_ptr<Server>> open(Site site, std::uint16_t port, const ServerLimits& limits = {});
  ~Server();

  std::uint16_t port() const;
  std::string address() const;  // "http://127.0.0.1:8000/"

  // Answers until stop() is called from another thread; an error if it cannot go on so long.
  Status run();
  void stop();
  ServerCounts counts() const;

 private:
  class Http;  // names the library
  explicit Server(std::unique_ptr<Http> http);
  std::unique_ptr<Http> http_;
};

}  // namespace tendril::serve
