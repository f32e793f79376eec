// One accepted connection, whose time and memory are limited: a client that sends or takes byte after byte, or never
// ends its head, is cut off. The head of a request is taken in as a whole before anything looks at it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tendril::serve {

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(int socket, std::chrono::milliseconds patience, std::chrono::milliseconds longest);
  ~Connection();  // closes the socket
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_; }

  // Waits for the first byte of a request, until patience ends or `give_up` says so, which is asked ten times a second.
  bool wait_for_request(const std::function<bool()>& give_up);

  enum class Head { whole, too_long, cut_off };
  Head take_head(std::size_t limit);

  // Of the head, and of the body behind it as far as limit_body() says. Negative: there is no more.
  std::ptrdiff_t read(std::span<char> out);
  void limit_body(std::size_t limit) { body_left_ = limit; }
  std::size_t body_left() const { return body_left_; }
  // Before closing: takes in a little of what the client still sends, else it would lose the answer.
  void drain();

  bool can_write();
  std::ptrdiff_t write(std::string_view bytes);
  std::uint64_t written() const { return written_; }

 private:
  bool poll_until(short events, Clock::time_point deadline) const;
  bool receive(Clock::time_point deadline);

  int socket_;
  std::chrono::milliseconds patience_, longest_;
  std::string buffer_;         // received, not yet handed out
  std::size_t head_left_ = 0;  // bytes of `buffer_` that belong to the head
  std::size_t body_left_ = 0;
  Clock::time_point body_deadline_, answer_deadline_;
  std::uint64_t written_ = 0;
};

}  // namespace tendril::serve
