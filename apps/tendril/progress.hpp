// How far a long command is: a bar with the time left on a terminal, a line now and then elsewhere.
#pragma once

#include <string>

namespace tendril::app {

class Progress {
 public:
  Progress(std::string task, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(int done, int of, double seconds);

 private:
  std::string task_;
  bool quiet_, terminal_, open_ = false;
  int last_tenth_ = -1;
  double last_seconds_ = -1.0;
};

std::string duration_text(double seconds);  // "8.4 s", "3 min 20 s", "2 h 05 min"

}  // namespace tendril::app
