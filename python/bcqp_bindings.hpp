#pragma once

#include <pybind11/pybind11.h>

namespace tendril::python {

// Adds bcqp_band and bcqp_sparse, on which python/tendril/bcqp.py builds tendril.bcqp.solve.
void bind_bcqp(pybind11::module_& module);

}  // namespace tendril::python
