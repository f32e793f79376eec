// Groom files for the Python package: python/tendril/groom.py is what users see.
#pragma once

#include <pybind11/pybind11.h>

namespace tendril::python {

void bind_groom(pybind11::module_& module);

}  // namespace tendril::python
