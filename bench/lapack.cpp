#include "lapack.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace tendril::bench {

std::optional<Lapack> Lapack::load() {
  // BLAS first and globally: LAPACK then binds to this one rather than to the system's choice.
  const std::string folder = "/usr/lib/x86_64-linux-gnu/";
  if (dlopen((folder + "blas/libblas.so.3").c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) return std::nullopt;
  const std::string path = folder + "lapack/liblapack.so.3";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return std::nullopt;
  Lapack lapack;
  lapack.dpbsv_ = reinterpret_cast<Solver>(dlsym(library, "dpbsv_"));
  if (lapack.dpbsv_ == nullptr) return std::nullopt;
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  lapack.name_ = error ? path : real.string();
  return lapack;
}

bool Lapack::solve(int n, int kd, std::vector<double>& band, std::vector<double>& rhs) const {
  const int columns = 1, leading = kd + 1;
  int info = 0;
  dpbsv_("L", &n, &kd, &columns, band.data(), &leading, rhs.data(), &n, &info);
  return info == 0;
}

}  // namespace tendril::bench
