// A small page and a small run on disk, for tests of the server.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/serve/route.hpp"
#include "tendril/sim/run.hpp"

namespace tendril::serve {

inline const std::string small_scene = R"(
[run]
name = "small"
frames = 3
substeps = 2
[[strands]]
name = "hair"
source = { generator = "curly", count = 3, vertices = 6, length = "25 cm" }
material = { preset = "human-hair" }
[[probes]]
name = "tip"
kind = "path"
)";

inline Scene scene_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Result<Scene> scene = parse_scene(text, "scene.toml", overrides);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
  return scene ? scene.value() : Scene{};
}

inline void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  EXPECT_TRUE(write_file(path, text));
}

inline PageFiles make_page(const std::filesystem::path& folder) {
  write(folder / "index.html", "<!doctype html><title>page</title>");
  write(folder / "main.js", "export {};");
  write(folder / "style.css", "body {}");
  write(folder / "notes.txt", "not for the page");
  for (const char* name : {"three/build/three.module.js", "three/build/three.core.js", "uplot/dist/uPlot.esm.js",
                           "uplot/dist/uPlot.min.css"})
    write(folder / "node_modules" / name, "// library");
  Result<PageFiles> files = PageFiles::open(folder);
  EXPECT_TRUE(files) << (files ? "" : files.error().message());
  return std::move(files.value());
}

inline void make_run(const std::filesystem::path& folder) {
  RunOptions options;
  options.out = folder;
  EXPECT_TRUE(run(scene_of(small_scene), options));
}

inline std::string text_of(const Response& response) {
  std::string text(response.length, '\0');
  EXPECT_TRUE(response.content.read(response.from, text));
  return text;
}

// A site with one run, asked without sockets.
class SmallSite : public support::TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    make_run(folder / "run");
    site.port = 8000;
    site.page = make_page(folder / "page");
    add_run(folder / "run");
  }

  void add_run(const std::filesystem::path& path) {
    Result<std::unique_ptr<RunSource>> opened = open_run(path);
    ASSERT_TRUE(opened) << opened.error().message();
    site.runs.push_back(std::move(opened.value()));
  }

  static Request request(const std::string& target, const std::string& method = "GET") {
    Request made;
    made.method = method, made.target = target, made.host = "127.0.0.1:8000";
    return made;
  }
  Response get(const std::string& target) const { return route(site, request(target)); }

  Site site;
};

}  // namespace tendril::serve
