// tendril._tendril.Simulation: what python/tendril/simulation.py is built on.
#pragma once

#include <pybind11/pybind11.h>

namespace tendril::python {

void bind_simulation(pybind11::module_& module);

}  // namespace tendril::python
