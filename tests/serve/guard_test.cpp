// Who may ask: hosts, origins, methods and sizes.
#include "tendril/serve/guard.hpp"

#include <gtest/gtest.h>

namespace tendril::serve {
namespace {

Request plain() {
  Request request;
  request.method = "GET", request.target = "/", request.host = "127.0.0.1:8000";
  return request;
}

int status_of(const Request& request) {
  const std::optional<Response> refused = guard(8000, request);
  return refused ? refused->status : 200;
}

TEST(Guard, AnswersItsOwnNames) {
  Request request = plain();
  EXPECT_EQ(status_of(request), 200);
  request.host = "localhost:8000";
  EXPECT_EQ(status_of(request), 200);
}

TEST(Guard, RefusesForeignHosts) {
  for (const char* host : {"",
                           "127.0.0.1",
                           "localhost",
                           "127.0.0.1:8001",
                           "127.0.0.1:80000",
                           "127.0.0.1:08000",
                           "127.0.0.2:8000",
                           "0.0.0.0:8000",
                           "[::1]:8000",
                           "evil.com",
                           "evil.com:8000",
                           "localhost:8000.evil.com",
                           "localhost.:8000",
                           "LOCALHOST:8000",
                           "127.1:8000",
                           "2130706433:8000",
                           "127.0.0.1:8000, evil.com",
                           " 127.0.0.1:8000",
                           "127.0.0.1:8000 ",
                           "user@127.0.0.1:8000",
                           "127.0.0.1:8000/"}) {
    Request request = plain();
    request.host = host;
    EXPECT_EQ(status_of(request), 403) << host;
  }
}

TEST(Guard, RefusesForeignOrigins) {
  for (const char* origin : {"http://127.0.0.1:8000", "http://localhost:8000"}) {
    Request request = plain();
    request.origin = origin;
    EXPECT_EQ(status_of(request), 200) << origin;
  }
  for (const char* origin : {"", "null", "http://evil.com", "https://127.0.0.1:8000", "http://127.0.0.1",
                             "http://127.0.0.1:9000", "http://127.0.0.1:8000.evil.com", "127.0.0.1:8000",
                             "HTTP://127.0.0.1:8000", "http://127.0.0.1:8000, http://evil.com", "file://"}) {
    Request request = plain();
    request.origin = origin;
    EXPECT_EQ(status_of(request), 403) << origin;
  }
}

TEST(Guard, RefusesRequestsThatOtherSitesMake) {
  Request request = plain();
  for (const char* site : {"none", "same-origin"}) {
    request.fetch_site = site;
    EXPECT_EQ(status_of(request), 200) << site;
  }
  for (const char* site : {"cross-site", "same-site", "", "none, cross-site"}) {
    request.fetch_site = site;
    EXPECT_EQ(status_of(request), 403) << site;
  }
}

TEST(Guard, ALinkElsewhereMayLeadToThePageOnly) {
  Request request = plain();
  request.fetch_site = "cross-site", request.fetch_dest = "document";
  EXPECT_EQ(status_of(request), 200);
  request.target = "/api/view.json";
  EXPECT_EQ(status_of(request), 403);
  request.target = "/", request.fetch_dest = "iframe";
  EXPECT_EQ(status_of(request), 403);
  request.fetch_dest = "document", request.method = "POST";
  EXPECT_EQ(status_of(request), 403);
}

TEST(Guard, KnowsThreeMethods) {
  for (const char* method : {"GET", "HEAD", "POST"}) {
    Request request = plain();
    request.method = method;
    EXPECT_EQ(status_of(request), 200) << method;
  }
  for (const char* method : {"", "get", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "PRI"}) {
    Request request = plain();
    request.method = method;
    EXPECT_EQ(status_of(request), 405) << method;
  }
}

TEST(Guard, LimitsAddressesAndBodies) {
  Request request = plain();
  request.target = "/" + std::string(2047, 'a');
  EXPECT_EQ(status_of(request), 200);
  request.target += 'a';
  EXPECT_EQ(status_of(request), 400);
  request = plain();
  for (const char* length : {"0", "4096"}) {
    request.content_length = length;
    EXPECT_EQ(status_of(request), 200) << length;
  }
  for (const char* length : {"4097", "99999999999999999999999"}) {
    request.content_length = length;
    EXPECT_EQ(status_of(request), 413) << length;
  }
  for (const char* length : {"", "-1", "1x", "0x10", "1, 1"}) {
    request.content_length = length;
    EXPECT_EQ(status_of(request), 400) << length;
  }
  request = plain();
  request.transfer_encoding = "chunked";
  EXPECT_EQ(status_of(request), 400);
  request = plain();
  request.content_encoding = "gzip";
  EXPECT_EQ(status_of(request), 400);
}

TEST(Guard, HeadersAreTakenInAnyCaseAndTwiceIsNotOnce) {
  Request request;
  add_header("hOsT", "127.0.0.1:8000", request);
  add_header("ORIGIN", "http://127.0.0.1:8000", request);
  add_header("Cookie", "a=b", request);
  EXPECT_EQ(request.host, "127.0.0.1:8000");
  EXPECT_EQ(request.origin, "http://127.0.0.1:8000");
  add_header("Host", "evil.com", request);
  add_header("Origin", "http://evil.com", request);
  EXPECT_EQ(request.host, "127.0.0.1:8000, evil.com");
  EXPECT_EQ(request.origin, "http://127.0.0.1:8000, http://evil.com");
}

}  // namespace
}  // namespace tendril::serve
