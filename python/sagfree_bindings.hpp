#pragma once

#include <pybind11/pybind11.h>

namespace tendril::python {

// Adds the function on which python/tendril/sagfree.py builds tendril.sagfree.optimise.
void bind_sagfree(pybind11::module_& module);

}  // namespace tendril::python
