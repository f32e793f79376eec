// A simulation that goes on while a page watches and handles it: a thread of its own steps it at the pace of the clock
// and keeps the newest frame for whoever asks. A step that fails pauses it, with the reason in its state. A static
// scene is solved once after each order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tendril/serve/live_run.hpp"
#include "tendril/serve/run_source.hpp"

namespace tendril::serve {

class Live : public RunSource {
 public:
  // `path` is how the user named the scene.
  static Result<std::unique_ptr<Live>> start(Scene scene, const std::string& path);
  ~Live() override;

  std::string state_json();
  // Bodies of POST requests.
  Status control(const std::string& json);
  Status drag(const std::string& json);
  // The newest frame, once its number is above `after`; nothing if that does not come in time.
  std::optional<Content> wait_for_frame(std::int64_t after, std::chrono::milliseconds patience);
  // Ends the simulation and all waiting.
  void stop();

  RunFacts facts() override { return facts_; }
  Result<Content> frame(int number) override;
  Result<Content> rest() override { return rest_; }
  Result<Content> body(std::size_t index) override;
  Result<Content> records() override { return nothing("records.csv"); }
  Result<Content> probe(const std::string&) override { return nothing("probes"); }
  Result<Content> report() override { return nothing("a report"); }

 private:
  explicit Live(LiveRun run);
  Status describe();
  static Error nothing(const std::string& what) { return {"live", "a live simulation has no " + what}; }

  // Of the simulation's thread.
  void work();
  void make_frame(bool reset);
  bool has_work() const;
  Status advance();
  Result<bool> take_orders();
  void show(const Status& moved);
  void keep_pace(std::unique_lock<std::mutex>& lock);

  LiveRun run_;  // touched by the thread only, once it has started
  const LiveControls defaults_;
  RunFacts facts_;
  Content rest_;
  std::vector<Content> bodies_;
  struct DragTarget {
    std::string set;
    bool draggable = false;
  };
  std::vector<DragTarget> sets_;

  std::mutex mutex_;  // of all below
  std::condition_variable ordered_, shown_;
  bool stopping_ = false, paused_ = false;
  LiveControls controls_;
  bool reset_ = false, step_ = false;
  bool single_ = false;   // the frame under way was asked for: a pause does not break it off
  bool settled_ = false;  // a static scene that needs no solve
  std::vector<DragOrder> drag_orders_;
  Content frame_;
  FrameRecord record_;
  double speed_ = 0.0;  // simulated seconds per second of the clock
  std::string error_;
  std::chrono::steady_clock::time_point due_, last_shown_;

  std::thread thread_;
};

}  // namespace tendril::serve
