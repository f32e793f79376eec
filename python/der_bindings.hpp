#pragma once

#include <pybind11/pybind11.h>

namespace tendril::python {

// Adds the class DerStrands, on which python/tendril/der.py builds tendril.der.Strands.
void bind_der(pybind11::module_& module);

}  // namespace tendril::python
