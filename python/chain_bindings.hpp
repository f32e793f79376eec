// Chains of points with links of given lengths, from Python.
#pragma once

#include <pybind11/pybind11.h>

namespace tendril::python {

void bind_chain(pybind11::module_& module);

}  // namespace tendril::python
