#include "support/test_data.hpp"

namespace tendril {

std::string test_data(const std::string& file) { return std::string(TENDRIL_TEST_DATA "/") + file; }

}  // namespace tendril
