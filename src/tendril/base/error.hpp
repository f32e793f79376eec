// Errors as values. Files, scenes and apps return Result; kernels need no errors; exceptions are for bugs only.
// An Error reads as one sentence: where it happened, what was wrong and what would be right.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tendril {

struct Error {
  std::string where;  // "curly.hair: byte 8", "scene.toml:12:3", "strand 4, vertex 7"
  std::string what;   // "4294967295 points do not fit in 204 bytes"

  std::string message() const { return where.empty() ? what : where + ": " + what; }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: a value is a result
  Result(Error error) : held_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: an error is a result

  explicit operator bool() const { return held_.index() == 0; }
  T& value() { return std::get<0>(held_); }
  const T& value() const { return std::get<0>(held_); }
  const Error& error() const { return std::get<1>(held_); }

 private:
  std::variant<T, Error> held_;
};

using Status = Result<std::monostate>;  // success carries nothing
inline Status ok() { return std::monostate{}; }

}  // namespace tendril
