#include "tendril/serve/connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tendril::serve {

Connection::Connection(int socket, std::chrono::milliseconds patience, std::chrono::milliseconds longest)
    : socket_(socket), patience_(patience), longest_(longest) {
  const int on = 1;  // small answers go at once
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Connection::~Connection() {
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
}

bool Connection::poll_until(short events, Clock::time_point deadline) const {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd asked{socket_, events, 0};
    const int ready = ::poll(&asked, 1, int(std::clamp<long long>(left + 1, 0, 60000)));
    if (ready > 0) return true;
    if ((ready < 0 && errno != EINTR) || Clock::now() >= deadline) return false;
  }
}

bool Connection::wait_for_request(const std::function<bool()>& give_up) {
  const Clock::time_point deadline = Clock::now() + patience_;
  while (buffer_.empty()) {
    if (poll_until(POLLIN, std::min(deadline, Clock::now() + std::chrono::milliseconds(100)))) return true;
    if (give_up() || Clock::now() >= deadline) return false;
  }
  return true;
}

bool Connection::receive(Clock::time_point deadline) {
  std::array<char, 4096> piece;
  if (!poll_until(POLLIN, deadline)) return false;
  const ssize_t got = ::recv(socket_, piece.data(), piece.size(), 0);
  if (got <= 0) return got < 0 && errno == EINTR;
  buffer_.append(piece.data(), std::size_t(got));
  return true;
}

Connection::Head Connection::take_head(std::size_t limit) {
  constexpr std::string_view end = "\r\n\r\n";
  const Clock::time_point deadline = Clock::now() + patience_;
  while (true) {
    const std::size_t at = buffer_.find(end);
    if (at != std::string::npos && at + end.size() <= limit) {
      head_left_ = at + end.size(), body_left_ = 0;
      body_deadline_ = Clock::now() + patience_, answer_deadline_ = Clock::now() + longest_;
      return Head::whole;
    }
    if (buffer_.size() > limit) return Head::too_long;
    if (!receive(deadline)) return Head::cut_off;
  }
}

std::ptrdiff_t Connection::read(std::span<char> out) {
  std::size_t& left = head_left_ > 0 ? head_left_ : body_left_;
  if (left == 0) return -1;
  while (buffer_.empty())
    if (!receive(body_deadline_)) return -1;
  const std::size_t count = std::min({out.size(), buffer_.size(), left});
  std::memcpy(out.data(), buffer_.data(), count);
  buffer_.erase(0, count);
  left -= count;
  return std::ptrdiff_t(count);
}

void Connection::drain() {
  ::shutdown(socket_, SHUT_WR);
  for (int piece = 0; piece < 32 && receive(Clock::now() + std::chrono::milliseconds(50)); ++piece) buffer_.clear();
}

bool Connection::can_write() { return poll_until(POLLOUT, std::min(Clock::now() + patience_, answer_deadline_)); }

std::ptrdiff_t Connection::write(std::string_view bytes) {
  while (can_write()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return written_ += std::uint64_t(sent), sent;
    if (errno != EINTR && errno != EAGAIN) return -1;
  }
  return -1;
}

}  // namespace tendril::serve
