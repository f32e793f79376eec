// Nothing outside the listed files can be reached, however the address is spelt.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "serve/small_site.hpp"

namespace tendril::serve {
namespace {

namespace fs = std::filesystem;
const std::string secret = "nobody must see this";

class Traversal : public SmallSite {
 protected:
  void SetUp() override {
    SmallSite::SetUp();
    write(folder / "secret.csv", secret);
    write(folder / "secret.js", secret);
    write(folder / "page/sub/secret.js", secret);
    write(folder / "run/secret.csv", secret);
  }

  void expect_refused(const std::string& target) const {
    const Response response = get(target);
    EXPECT_TRUE(response.status == 404 || response.status == 400) << target << ": " << response.status;
    EXPECT_EQ(text_of(response).find(secret), std::string::npos) << target;
  }
};

// Ways to write "..", "/" and their like.
const std::vector<std::string> ups = {
    "..",      "%2e%2e", "%2E.", ".%2e", "%252e%252e", "%c0%ae%c0%ae", "%e0%80%ae%e0%80%ae",       "..%00",
    "%00..",   "...",    "....", ".. ",  "%20..",      "..;",          "\xef\xbc\x8e\xef\xbc\x8e", "%u002e%u002e",
    "..%0d%0a"};
const std::vector<std::string> slashes = {"/",  "%2f", "%2F",    "\\",        "%5c",          "%5C",   "%252f",
                                          "//", "/./", "%c0%af", "%e0%80%af", "\xe2\x88\x95", "/%2e/", "%2f%2f"};

TEST_F(Traversal, NoSpellingOfTheWayUpLeadsOut) {
  std::size_t tried = 0;
  for (const std::string prefix : {"/page/", "/lib/", "/api/runs/0/probes/", "/api/runs/0/frames/"})
    for (const std::string& up : ups)
      for (const std::string& slash : slashes)
        for (const std::string name : {"secret.js", "secret.csv"}) {
          expect_refused(prefix + up + slash + name);
          expect_refused(prefix + up + slash + up + slash + name);
          expect_refused(prefix + "sub" + slash + up + slash + up + slash + name);
          tried += 3;
        }
  EXPECT_GT(tried, 200u);
}

TEST_F(Traversal, NoAbsoluteNameLeadsOut) {
  const std::string outside = (folder / "secret.csv").string();
  for (const std::string prefix : {"", "/", "/page", "/page/", "/lib/", "/api/runs/0/probes", "/api/runs/0/probes/"})
    for (const std::string& name : std::vector<std::string>{outside, "/" + outside, "%2f" + outside.substr(1),
                                                            "file://" + outside, "C:\\secret.csv", "\\\\host\\share"})
      expect_refused(prefix + name);
}

TEST_F(Traversal, FilesBesideTheListsAreNotThere) {
  for (const char* target : {"/page/sub/secret.js",
                             "/page/sub%2fsecret.js",
                             "/page/notes.txt",
                             "/page/.",
                             "/page/..",
                             "/page/node_modules",
                             "/lib/three",
                             "/lib/three%2fbuild%2fthree.module.js",
                             "/lib/three/build/three.module.js",
                             "/api/runs/0/secret.csv",
                             "/api/runs/0/probes/.csv",
                             "/api/runs/0/probes/..csv",
                             "/api/runs/0/probes/tip.csv%00",
                             "/api/runs/0/probes/tip%00.csv",
                             "/api/runs/0/probes/TIP.csv",
                             "/api/runs/0/probes/tip.csv/",
                             "/api/runs/0/probes//tip.csv",
                             "/api/runs/0//rest",
                             "/api/runs/0/rest/",
                             "/api/runs/0/./rest",
                             "/api/runs/0/frames/1/",
                             "/api/runs/0/frames/frame_0001.tendril",
                             "/api/runs/00/rest",
                             "/api/runs/0%00/rest",
                             "/api/runs/0/checkpoints",
                             "/api/runs/0/cache.json",
                             "/api/runs/0/.lock"})
    expect_refused(target);
}

TEST_F(Traversal, EveryByteInANameIsHarmless) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string escaped = fmt::format("%{:02x}", byte);
    for (const std::string prefix : {"/page/", "/lib/", "/api/runs/0/probes/"}) {
      expect_refused(prefix + escaped);
      expect_refused(prefix + "main" + escaped + ".js");
      expect_refused(prefix + char(byte) + "secret.csv");
    }
  }
}

TEST_F(Traversal, SymbolicLinksAreNotFollowed) {
  const fs::path run = folder / "run";
  fs::create_symlink(folder / "secret.csv", run / "probes/link.csv");
  fs::create_symlink("../secret.csv", run / "probes/inner.csv");  // inside, but a link all the same
  fs::create_symlink(folder / "secret.csv", run / "frame_0007.tendril");
  fs::rename(run / "records.csv", run / "kept.csv");
  fs::create_symlink(folder / "secret.csv", run / "records.csv");
  fs::remove(run / "report.json");
  fs::create_symlink(folder / "secret.csv", run / "report.json");
  fs::rename(run / "bodies", folder / "bodies");
  fs::create_symlink(folder / "bodies", run / "bodies");
  fs::remove(folder / "page/main.js");
  fs::create_symlink(folder / "secret.js", folder / "page/main.js");
  for (const char* target :
       {"/api/runs/0/probes/link.csv", "/api/runs/0/probes/inner.csv", "/api/runs/0/frames/7",
        "/api/runs/0/records.csv", "/api/runs/0/report.json", "/api/runs/0/bodies/0", "/page/main.js"})
    expect_refused(target);
  EXPECT_EQ(get("/api/runs/0/probes/tip.csv").status, 200);
}

TEST_F(Traversal, APipeInPlaceOfAFileHoldsNobodyUp) {
  fs::remove(folder / "run/frame_0002.tendril");
  ASSERT_EQ(::mkfifo((folder / "run/frame_0002.tendril").c_str(), 0600), 0);
  expect_refused("/api/runs/0/frames/2");
}

}  // namespace
}  // namespace tendril::serve
