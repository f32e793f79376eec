// Pictures and pages: tendril.render, tendril.plot.
#pragma once

#include <pybind11/pybind11.h>

namespace tendril::python {

void bind_pictures(pybind11::module_& module);

}  // namespace tendril::python
