// The server on real sockets: what it answers, and what clients that misbehave cannot do.
#include "tendril/serve/server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "serve/small_site.hpp"

namespace tendril::serve {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A client that sends what it likes.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET, address.sin_port = htons(port), address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  bool send(const std::string& bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == ssize_t(bytes.size());
  }
  // All that comes until the server closes, or nothing comes for `patience`.
  std::string read(milliseconds patience = milliseconds(1500)) const {
    std::string text;
    char piece[65536];
    pollfd asked{socket_, POLLIN, 0};
    while (::poll(&asked, 1, int(patience.count())) > 0) {
      const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
      if (got <= 0) break;
      text.append(piece, std::size_t(got));
    }
    return text;
  }
  bool is_closed(milliseconds patience) const {
    pollfd asked{socket_, POLLIN, 0};
    char byte = 0;
    return ::poll(&asked, 1, int(patience.count())) > 0 && ::recv(socket_, &byte, 1, MSG_PEEK) <= 0;
  }

 private:
  int socket_;
  bool connected_ = false;
};

class ServerTest : public SmallSite {
 protected:
  void SetUp() override {
    SmallSite::SetUp();
    limits.connections = 3, limits.patience = milliseconds(300), limits.frame_wait = milliseconds(400);
    limits.waiting_for_frames = 1;
  }
  void TearDown() override {
    if (server) server->stop();
    if (thread.joinable()) thread.join();
    server.reset();
    SmallSite::TearDown();
  }

  void start() {
    Result<std::unique_ptr<Server>> opened = Server::open(std::move(site), 0, limits);
    ASSERT_TRUE(opened) << opened.error().message();
    server = std::move(opened.value());
    thread = std::thread([this] { EXPECT_TRUE(server->run()); });
  }
  void make_live() {
    std::unique_ptr<Live> live = std::move(Live::start(scene_of(small_scene), "scene.toml").value());
    site.live = live.get();
    site.runs.clear();
    site.runs.push_back(std::move(live));
  }

  std::string head(const std::string& first_line, const std::string& headers = "Connection: close\r\n") const {
    return fmt::format("{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", first_line, server->port(), headers);
  }
  std::string ask(const std::string& bytes) const {
    const Client client(server->port());
    client.send(bytes);
    return client.read();
  }
  static std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
  static int status_of(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
  }

  ServerLimits limits;
  std::unique_ptr<Server> server;
  std::thread thread;
};

TEST_F(ServerTest, AnswersWithSecurityHeaders) {
  start();
  const std::string answer = ask(head("GET /"));
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_EQ(body_of(answer), "<!doctype html><title>page</title>");
  for (const std::string& text : {answer, ask(head("GET /none")), ask("nonsense\r\n\r\n")}) {
    for (const char* header :
         {"X-Content-Type-Options: nosniff", "default-src 'none'; script-src 'self'", "Referrer-Policy: no-referrer",
          "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: "})
      EXPECT_NE(text.find(header), std::string::npos) << header << " in " << text;
    EXPECT_EQ(text.find("Access-Control"), std::string::npos);
  }
  EXPECT_EQ(server->counts().requests, 3u);
  EXPECT_EQ(server->counts().refused, 2u);
}

TEST_F(ServerTest, SendsFilesWholeInPartsAndNotAgain) {
  const std::string file = read_text(folder / "run/frame_0001.tendril").value();
  start();
  const std::string answer = ask(head("GET /api/runs/0/frames/1"));
  EXPECT_EQ(body_of(answer), file);
  const std::string part = ask(head("GET /api/runs/0/frames/1", "Range: bytes=4-9\r\nConnection: close\r\n"));
  EXPECT_EQ(status_of(part), 206);
  EXPECT_EQ(body_of(part), file.substr(4, 6));
  EXPECT_NE(part.find(fmt::format("Content-Range: bytes 4-9/{}", file.size())), std::string::npos);
  const std::string many =
      ask(head("GET /api/runs/0/frames/1", "Range: bytes=0-1,3-4,0-,0-,0-\r\nConnection: close\r\n"));
  EXPECT_EQ(status_of(many), 200);
  EXPECT_EQ(body_of(many), file);
  EXPECT_EQ(status_of(ask(head("GET /api/runs/0/frames/1", "Range: bytes=9999999-\r\nConnection: close\r\n"))), 416);
  const std::size_t at = answer.find("ETag: ") + 6;
  const std::string tag = answer.substr(at, answer.find('\r', at) - at);
  const std::string again =
      ask(head("GET /api/runs/0/frames/1", "If-None-Match: " + tag + "\r\nConnection: close\r\n"));
  EXPECT_EQ(status_of(again), 304);
  EXPECT_EQ(body_of(again), "");
}

TEST_F(ServerTest, HeadIsGetWithoutTheBody) {
  start();
  const std::string get = ask(head("GET /api/runs/0/rest")), only_head = ask(head("HEAD /api/runs/0/rest"));
  EXPECT_EQ(only_head, get.substr(0, get.find("\r\n\r\n") + 4));
}

TEST_F(ServerTest, OneConnectionServesManyRequests) {
  limits.requests = 3;
  start();
  const Client client(server->port());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(client.send(head("GET /page/style.css", "")));
    EXPECT_TRUE(client.read(milliseconds(100)).ends_with("body {}"));
  }
  client.send(head("GET /page/style.css", "") + head("GET /", ""));  // the second of them is one too many
  EXPECT_TRUE(client.read().ends_with("body {}"));
}

TEST_F(ServerTest, RefusesWhatComesFromElsewhere) {
  start();
  EXPECT_EQ(status_of(ask("GET / HTTP/1.1\r\nHost: evil.com\r\nConnection: close\r\n\r\n")), 403);
  EXPECT_EQ(status_of(ask("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")), 403);
  EXPECT_EQ(status_of(ask(head("GET /", "Origin: http://evil.com\r\nConnection: close\r\n"))), 403);
  EXPECT_EQ(status_of(ask(head("GET /", "Host: evil.com\r\nConnection: close\r\n"))), 403);
  EXPECT_EQ(status_of(ask(head("GET /api/view.json", "Sec-Fetch-Site: cross-site\r\nConnection: close\r\n"))), 403);
  EXPECT_EQ(status_of(ask(head("OPTIONS /"))), 405);
  EXPECT_EQ(
      status_of(ask(head("POST /api/live/controls", "Content-Type: application/json\r\nContent-Length: 2\r\n") + "{}")),
      405);
}

TEST_F(ServerTest, GarbageIsRefusedAndHarmsNobody) {
  start();
  for (const std::string& garbage :
       {std::string("\0\1\2\3\r\n\r\n", 8), std::string(2000, 'x') + "\r\n\r\n", std::string("GET\r\n\r\n"),
        std::string("\x16\x03\x01\x02\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("GET  /  HTTP/1.1\r\n\r\n"), head("GET http://127.0.0.1/"), head("GET *"),
        head("GET /" + std::string(4000, 'a')), head("GET /" + std::string(9000, 'a')),
        head("GET /", "X: " + std::string(20000, 'a') + "\r\n"), head("GET /", std::string(20000, '\r') + "\r\n")}) {
    const int status = status_of(ask(garbage));
    EXPECT_TRUE(status == 0 || (status >= 400 && status < 500)) << garbage.substr(0, 40) << ": " << status;
  }
  EXPECT_EQ(status_of(ask(head("GET /", "X: " + std::string(40000, 'a') + "\r\n"))), 431);
  EXPECT_EQ(status_of(ask(head("GET /"))), 200);
}

TEST_F(ServerTest, BodiesAreTakenOnlyWhereTheyBelong) {
  make_live();
  start();
  const std::string json = "Content-Type: application/json\r\n";
  const auto post = [&](const std::string& headers, const std::string& body) {
    return status_of(ask(head("POST /api/live/controls", headers) + body));
  };
  EXPECT_EQ(post(json + "Content-Length: 2\r\nConnection: close\r\n", "{}"), 200);
  EXPECT_EQ(post("Content-Type: text/plain\r\nContent-Length: 2\r\n", "{}"), 400);
  EXPECT_EQ(post(json + "Content-Length: 5000\r\n", std::string(5000, ' ')), 413);
  EXPECT_EQ(post(json + "Content-Length: 1000000000000\r\n", "{}"), 413);
  EXPECT_EQ(post(json + "Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(post(json + "Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}"), 400);
  EXPECT_EQ(post(json + "Content-Length: 4096\r\nConnection: close\r\n", "{}" + std::string(4094, ' ')), 200);
}

TEST_F(ServerTest, ABodyThatNobodyReadIsNoSecondRequest) {
  start();
  const std::string second = head("GET /page/style.css");
  const std::string answer = ask(head("GET /", fmt::format("Content-Length: {}\r\n", second.size())) + second);
  EXPECT_EQ(answer.find("body {}"), std::string::npos);
}

TEST_F(ServerTest, SlowClientsAreCutOff) {
  start();
  const Client silent(server->port()), trickling(server->port());
  const auto begun = Clock::now();
  bool open = true;
  for (int i = 0; i < 20 && open; ++i) {  // a byte now and then does not keep the connection
    std::this_thread::sleep_for(milliseconds(50));
    open = trickling.send("G") && !trickling.is_closed(milliseconds(0));
  }
  EXPECT_FALSE(open);
  EXPECT_LT(Clock::now() - begun, milliseconds(900));
  EXPECT_TRUE(silent.is_closed(milliseconds(500)));
}

TEST_F(ServerTest, AClientThatTakesNothingIsCutOff) {
  write(folder / "run/frame_0008.tendril", std::string(32 << 20, 'x'));
  start();
  const Client lazy(server->port());
  ASSERT_TRUE(lazy.send(head("GET /api/runs/0/frames/8")));
  std::this_thread::sleep_for(milliseconds(800));
  EXPECT_LT(lazy.read().size(), std::size_t(32 << 20));
}

TEST_F(ServerTest, IdleConnectionsMakeWay) {
  start();
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 12; ++i) idle.push_back(std::make_unique<Client>(server->port()));
  for (const auto& client : idle) client->send("GET / HT");
  const auto begun = Clock::now();
  EXPECT_EQ(status_of(ask(head("GET /"))), 200);
  EXPECT_LT(Clock::now() - begun, milliseconds(2500));  // four rounds of patience
}

TEST_F(ServerTest, WaitingForFramesIsLimited) {
  make_live();
  start();
  ASSERT_EQ(status_of(ask(head("POST /api/live/controls",
                               "Content-Type: application/json\r\nContent-Length: "
                               "15\r\nConnection: close\r\n") +
                          "{\"paused\":true}")),
            200);
  std::this_thread::sleep_for(milliseconds(50));
  const Client first(server->port());
  first.send(head("GET /api/live/frame?after=1000000"));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(status_of(ask(head("GET /api/live/frame?after=1000000"))), 503);
  EXPECT_EQ(status_of(first.read()), 204);
  EXPECT_EQ(status_of(ask(head("GET /api/live/frame?after=0"))), 200);
}

TEST_F(ServerTest, StopsWhileClientsWait) {
  limits.frame_wait = milliseconds(20000);
  make_live();
  start();
  const Client waiting(server->port()), idle(server->port());
  waiting.send(head("GET /api/live/frame?after=1000000"));
  std::this_thread::sleep_for(milliseconds(100));
  const auto begun = Clock::now();
  server->stop();
  thread.join();
  EXPECT_LT(Clock::now() - begun, milliseconds(1000));
  EXPECT_FALSE(Client(server->port()).connected());
}

TEST_F(ServerTest, APortIsTakenOnce) {
  start();
  const Result<std::unique_ptr<Server>> second = Server::open(Site{}, server->port());
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message().find("cannot be had"), std::string::npos);
}

TEST_F(ServerTest, MayBeStoppedBeforeItHasBegun) {
  Result<std::unique_ptr<Server>> opened = Server::open(std::move(site), 0, limits);
  ASSERT_TRUE(opened);
  opened.value()->stop();
  EXPECT_TRUE(opened.value()->run());
}

}  // namespace
}  // namespace tendril::serve
