// LAPACK's banded Cholesky solver as a yardstick: Debian's reference library, loaded by its full path, so that the
// machine's alternatives (OpenBLAS and others) cannot change what is measured against.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tendril::bench {

class Lapack {
 public:
  static std::optional<Lapack> load();  // nothing: Debian's liblapack3 and libblas3 are not installed
  const std::string& name() const { return name_; }

  // dpbsv with UPLO = L, one right-hand side: `band` is [column][kd + 1] and is overwritten, as is `rhs`. False:
  // failed.
  bool solve(int n, int kd, std::vector<double>& band, std::vector<double>& rhs) const;

 private:
  using Solver = void (*)(const char*, const int*, const int*, const int*, double*, const int*, double*, const int*,
                          int*);
  Solver dpbsv_ = nullptr;
  std::string name_;
};

}  // namespace tendril::bench
