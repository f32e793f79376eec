// The extension module behind the Python package `tendril`; the files of python/tendril are what users see.
#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include "bcqp_bindings.hpp"
#include "chain_bindings.hpp"
#include "contact_bindings.hpp"
#include "der_bindings.hpp"
#include "groom_bindings.hpp"
#include "picture_bindings.hpp"
#include "sagfree_bindings.hpp"
#include "simulation_bindings.hpp"
#include "tendril/base/build_info.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/linalg/isa.hpp"
#include "threads.hpp"
#include "without_python.hpp"

namespace py = pybind11;
using tendril::python::WithoutPython;

PYBIND11_MODULE(_tendril, module) {
  if (!tendril::rejected_isa_request().empty())
    throw py::import_error(fmt::format("TENDRIL_ISA: '{}' is not an instruction set of this machine; the best is '{}'",
                                       tendril::rejected_isa_request(), tendril::isa_name(tendril::best_isa())));
  module.doc() = "Tendril's C++ core";
  module.attr("__version__") = tendril::version();
  module.attr("__commit__") = tendril::commit();
  module.def("isa", [] { return std::string(tendril::active_isa_name()); });
  module.def("threads", &tendril::thread_count);
  module.def("set_threads", &tendril::python::set_threads, py::call_guard<WithoutPython>());
  py::module_::import("atexit").attr("register")(
      py::cpp_function(&tendril::python::end_computing, py::call_guard<WithoutPython>()));
  tendril::python::bind_der(module);
  tendril::python::bind_groom(module);
  tendril::python::bind_simulation(module);
  tendril::python::bind_pictures(module);
  tendril::python::bind_sagfree(module);
  tendril::python::bind_bcqp(module);
  tendril::python::bind_contact(module);
  tendril::python::bind_chain(module);
}
