// The files of the page: index.html, scripts, styles and drawings of one flat folder, and the libraries that the page
// uses out of its node_modules. They are listed once; only what is in the list can be asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/serve/request.hpp"

namespace tendril::serve {

class PageFiles {
 public:
  // An error says what is missing and how to get it.
  static Result<PageFiles> open(const std::filesystem::path& folder);

  Response index() const { return find(index_, "index.html"); }
  Response page(const std::string& name) const { return find(page_, name); }
  Response library(const std::string& name) const { return find(libraries_, name); }

 private:
  struct File {
    std::string name;
    std::filesystem::path folder, path;  // within the folder
    const char* type = "";
  };
  static Response find(const std::vector<File>& files, const std::string& name);

  std::vector<File> index_, page_, libraries_;
};

}  // namespace tendril::serve
