// Uses the installed headers and library as a user's program would.
#include <iostream>

#include "tendril/base/build_info.hpp"
#include "tendril/base/error.hpp"
#include "tendril/base/parallel.hpp"

int main() {
  const tendril::Result<int> result = 3;
  int sum = 0;
  tendril::set_thread_count(1);
  tendril::parallel_for(4, [&](std::size_t i) { sum += static_cast<int>(i); });
  std::cout << "tendril " << tendril::version() << '\n';
  return result && sum == 6 ? 0 : 1;
}
