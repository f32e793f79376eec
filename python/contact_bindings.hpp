#pragma once

#include <pybind11/pybind11.h>

namespace tendril::python {

// Adds contact_w and contact_blocks, on which python/tendril/contact.py builds tendril.contact.solve.
void bind_contact(pybind11::module_& module);

}  // namespace tendril::python
