// While alive, other Python threads may run. Python's lock is taken back under a Computing: Python kills a thread that
// asks for its lock while the program ends, and C++ does not survive that.
#pragma once

#include <Python.h>

#include "threads.hpp"

namespace tendril::python {

class WithoutPython {
 public:
  WithoutPython() : thread_(PyEval_SaveThread()) {}
  ~WithoutPython() {
    const Computing computing;
    PyEval_RestoreThread(thread_);
  }
  WithoutPython(const WithoutPython&) = delete;
  WithoutPython& operator=(const WithoutPython&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace tendril::python
