// The extension module behind the Python package `tendril`; python/tendril/__init__.py is what users see.
#include <pybind11/pybind11.h>

#include "tendril/base/build_info.hpp"

PYBIND11_MODULE(_tendril, module) {
  module.doc() = "Tendril's C++ core";
  module.attr("__version__") = tendril::version();
  module.attr("__commit__") = tendril::commit();
}
