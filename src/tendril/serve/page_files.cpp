#include "tendril/serve/page_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tendril::serve {
namespace {

namespace fs = std::filesystem;

// With what they import.
constexpr std::array<std::string_view, 4> library_paths = {"three/build/three.module.js", "three/build/three.core.js",
                                                           "uplot/dist/uPlot.esm.js", "uplot/dist/uPlot.min.css"};

const char* type_of(const fs::path& path) {
  const fs::path extension = path.extension();
  if (extension == ".js") return "text/javascript; charset=utf-8";
  if (extension == ".css") return "text/css; charset=utf-8";
  if (extension == ".svg") return "image/svg+xml";
  return nullptr;
}

}  // namespace

Result<PageFiles> PageFiles::open(const fs::path& folder) {
  PageFiles files;
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault))
    if (const char* type = type_of(entry.path()); type != nullptr && entry.is_regular_file(fault))
      files.page_.push_back({entry.path().filename().string(), folder, entry.path().filename(), type});
  files.index_.push_back({"index.html", folder, "index.html", "text/html; charset=utf-8"});
  if (!fs::exists(folder / "index.html", fault))
    return Error{folder.string(), "the page is not here; TENDRIL_PAGE may name the folder viewer/ of the source tree"};
  for (const std::string_view path : library_paths) {
    const fs::path library(path), modules = folder / "node_modules";
    if (!fs::exists(modules / library, fault))
      return Error{folder.string(), fmt::format("node_modules/{} is missing: run `npm ci` in this folder, or "
                                                "`./run view ...`, which does that",
                                                path)};
    files.libraries_.push_back({library.filename().string(), modules, library, type_of(library)});
  }
  return files;
}

Response PageFiles::find(const std::vector<File>& files, const std::string& name) {
  const auto file = std::ranges::find(files, name, &File::name);
  if (file == files.end()) return refusal(404, "the page has no such file");
  Result<InnerFile> opened = InnerFile::open(file->folder, file->path);
  if (!opened) return refusal(404, fmt::format("{} of the page {}", file->name, opened.error().what));
  return answer(Content(std::move(opened.value())), file->type);
}

}  // namespace tendril::serve
