#include "tendril/serve/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <thread>

#include "tendril/serve/connection.hpp"
#include "tendril/serve/guard.hpp"
#include "tendril/serve/target.hpp"
#include "tendril/serve/worker_pool.hpp"

namespace tendril::serve {
namespace {

// On every answer: the page may use its own files and nothing else, and nobody else may use ours.
httplib::Headers security_headers() {
  return {{"X-Content-Type-Options", "nosniff"},
          {"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"}};
}

// A connection as the library reads and writes it.
class ConnectionStream : public httplib::Stream {
 public:
  explicit ConnectionStream(Connection& connection) : connection_(connection) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return connection_.can_write(); }
  ssize_t read(char* bytes, std::size_t size) override { return connection_.read({bytes, size}); }
  ssize_t write(const char* bytes, std::size_t size) override { return connection_.write({bytes, size}); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 0; }
  socket_t socket() const override { return connection_.socket(); }

 private:
  Connection& connection_;
};

class PoolQueue : public httplib::TaskQueue {
 public:
  explicit PoolQueue(WorkerPool& pool) : pool_(pool) {}
  void enqueue(std::function<void()> job) override { pool_.push(std::move(job)); }
  void shutdown() override { pool_.finish(); }

 private:
  WorkerPool& pool_;
};

Request to_request(const httplib::Request& in) {
  Request request;
  request.method = in.method, request.target = in.target, request.body = in.body;
  for (const auto& [name, value] : in.headers) add_header(name, value, request);
  return request;
}

void write_head(const Response& response, httplib::Response& out) {
  out.status = response.status;
  const std::string& tag = response.content.tag();
  // A run may be made anew under the same address: the browser keeps contents, but asks each time whether they hold.
  out.set_header("Cache-Control", tag.empty() ? "no-store" : "private, no-cache");
  if (!tag.empty()) out.set_header("ETag", '"' + tag + '"'), out.set_header("Accept-Ranges", "bytes");
  if (!response.range.empty()) out.set_header("Content-Range", response.range);
  if (!response.allow.empty()) out.set_header("Allow", response.allow);
}

// Piece by piece, so that a large file never is in memory as a whole.
void write_content(const Response& response, httplib::Response& out) {
  if (response.length == 0) return;
  out.set_content_provider(response.length, response.type,
                           [content = response.content, from = response.from](std::size_t offset, std::size_t left,
                                                                              httplib::DataSink& sink) {
                             std::array<char, 65536> piece;
                             const std::span<char> part(piece.data(), std::min(piece.size(), left));
                             return content.read(from + offset, part) && sink.write(part.data(), part.size());
                           });
}

}  // namespace

class Server::Http : public httplib::Server {
 public:
  Http(Site site, const ServerLimits& limits) : limits_(limits), site_(std::move(site)), pool_(limits.connections) {
    new_task_queue = [this] { return new PoolQueue(pool_); };  // the library deletes it
    set_default_headers(security_headers());
    set_payload_max_length(largest_body);
    set_keep_alive_max_count(limits.requests);
    set_pre_routing_handler([this](const httplib::Request& in, httplib::Response& out) { return begin(in, out); });
    Post("/api/live/.*",
         [this](const httplib::Request& in, httplib::Response& out) { send(route(site_, to_request(in)), out); });
    set_exception_handler([this](const httplib::Request&, httplib::Response& out, std::exception_ptr) {
      send(refusal(500, "the server made a mistake"), out);
    });
    set_error_handler([this](const httplib::Request&, httplib::Response& out) {
      if (!out.has_header("Cache-Control"))  // refused by the library
        send(refusal(out.status, "the request cannot be understood"), out);
    });
  }

  Status take(std::uint16_t port) {
    // Without SO_REUSEPORT, which the library would set: two servers must not share a port.
    set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    const int bound = port == 0 ? bind_to_any_port("127.0.0.1") : bind_to_port("127.0.0.1", port) ? port : -1;
    if (bound <= 0)
      return Error{"--port", fmt::format("port {} cannot be had ({}); give another, or 0 for any free one", port,
                                         std::strerror(errno))};
    site_.port = std::uint16_t(bound);
    return ok();
  }

  std::uint16_t port() const { return site_.port; }
  ServerCounts counts() const { return {requests_, refused_, bytes_}; }

  Status run() {
    state_ = State::begun;
    const bool listened = ending_ || listen_after_bind();
    const int fault = errno;
    state_ = State::ended;
    if (listened || ending_) return ok();
    return Error{"view", fmt::format("the server stopped listening: {}", std::strerror(fault))};
  }

  void end() {
    ending_ = true;
    if (site_.live != nullptr) site_.live->stop();
    while (state_ == State::begun && !is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop();
  }

 private:
  using Handled = httplib::Server::HandlerResponse;

  // Before a body is read: all that has none is answered here.
  Handled begin(const httplib::Request& in, httplib::Response& out) {
    const Request request = to_request(in);
    const std::optional<Response> refused = refused_unread(site_, request);
    if (!refused && in.method == "POST") return Handled::Unhandled;
    send(refused ? *refused : route(site_, request), out);
    return Handled::Handled;
  }

  void send(Response response, httplib::Response& out) {
    if (response.waits_after) response = next_frame(*response.waits_after);
    refused_ += response.status >= 400;
    write_head(response, out);
    write_content(response, out);
  }

  Response next_frame(std::int64_t after) {
    const bool too_many = waiting_.fetch_add(1) >= limits_.waiting_for_frames;
    std::optional<Content> frame;
    if (!too_many) frame = site_.live->wait_for_frame(after, limits_.frame_wait);
    --waiting_;
    if (too_many) return refusal(503, "too many pages wait for frames");
    if (frame) return answer(std::move(*frame), "application/octet-stream");
    Response none;
    none.status = 204;
    return none;
  }

  // A client for whom the memory does not suffice loses its connection; the others keep theirs.
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, limits_.patience, limits_.longest);
    try {
      answer_requests(connection);
    } catch (const std::bad_alloc&) {
      ++refused_;
    }
    bytes_ += connection.written();
    return true;
  }

  void answer_requests(Connection& connection) {
    const auto give_up = [this] { return ending_ || pool_.is_awaited(); };
    bool goes_on = true;
    for (std::size_t left = limits_.requests; left > 0 && goes_on && !ending_; --left) {
      if (!connection.wait_for_request(give_up)) break;
      const Connection::Head head = connection.take_head(limits_.head);
      if (head == Connection::Head::too_long) refuse_head(connection);
      goes_on = head == Connection::Head::whole && process(connection, left == 1);
    }
  }

  void refuse_head(Connection& connection) {
    ++requests_, ++refused_;
    connection.write("HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    connection.drain();
  }

  // One request; false: the connection ends with it.
  bool process(Connection& connection, bool last) {
    ++requests_;
    ConnectionStream stream(connection);
    bool understood = false, closed = false, odd_body = false;
    const auto prepare = [&](httplib::Request& in) {
      understood = true;
      in.ranges.clear();  // conditions.hpp has them
      const std::string length = in.get_header_value("Content-Length");
      const std::optional<int> bytes = whole_number(length.empty() ? "0" : length);
      odd_body = in.has_header("Transfer-Encoding") || !bytes || (*bytes > 0 && in.method != "POST");
      connection.limit_body(std::size_t(bytes.value_or(0)));
    };
    const bool written = process_request(stream, last, closed, prepare);
    const bool unread = odd_body || connection.body_left() > 0;
    if (unread) connection.drain();
    return understood && written && !closed && !unread;
  }

  const ServerLimits limits_;
  Site site_;
  WorkerPool pool_;
  enum class State { waiting, begun, ended };
  std::atomic<State> state_ = State::waiting;
  std::atomic<bool> ending_ = false;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<std::uint64_t> requests_ = 0, refused_ = 0, bytes_ = 0;
};

Server::Server(std::unique_ptr<Http> http) : http_(std::move(http)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(Site site, std::uint16_t port, const ServerLimits& limits) {
  auto http = std::make_unique<Http>(std::move(site), limits);
  if (Status status = http->take(port); !status) return status.error();
  return std::unique_ptr<Server>(new Server(std::move(http)));
}

std::uint16_t Server::port() const { return http_->port(); }
std::string Server::address() const { return fmt::format("http://127.0.0.1:{}/", port()); }
Status Server::run() { return http_->run(); }
void Server::stop() { http_->end(); }
ServerCounts Server::counts() const { return http_->counts(); }

}  // namespace tendril::serve
