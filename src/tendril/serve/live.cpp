#include "tendril/serve/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "tendril/base/text.hpp"

namespace tendril::serve {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

json to_json(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

json to_json(const LiveControls& controls) {
  return {{"gravity", to_json(controls.gravity)},
          {"wind", controls.wind ? to_json(*controls.wind) : json(nullptr)},
          {"stiffness", controls.stiffness},
          {"damping", controls.damping},
          {"friction", controls.friction ? json(*controls.friction) : json(nullptr)}};
}

// The columns of records.csv without their units.
json to_json(const FrameRecord& record) {
  const std::vector<std::string> columns = record_columns(record.contacts.has_value());
  const std::vector<double> values = record_values(record);
  json out = {{"frame", record.number}};
  for (std::size_t i = 0; i < columns.size(); ++i) out[columns[i].substr(0, columns[i].find(" ["))] = values[i];
  return out;
}

}  // namespace

Result<std::unique_ptr<Live>> Live::start(Scene scene, const std::string& path) {
  Result<LiveRun> run = LiveRun::create(std::move(scene));
  if (!run) return run.error();
  std::unique_ptr<Live> live(new Live(std::move(run.value())));
  if (Status status = live->describe(); !status) return status.error();
  live->facts_.path = path;
  live->show(ok());
  live->thread_ = std::thread([made = live.get()] { made->work(); });
  return live;
}

Live::Live(LiveRun run) : run_(std::move(run)), defaults_(run_.defaults()), controls_(defaults_) {
  record_.number = 0;  // nothing has been shown
  due_ = last_shown_ = Clock::now();
}

Live::~Live() {
  stop();
  if (thread_.joinable()) thread_.join();
}

Status Live::describe() {
  facts_ = run_.facts();
  const Result<std::vector<std::byte>> rest = encode_frame(run_.maker().rest(run_.simulation().world()), "rest");
  if (!rest) return rest.error();
  rest_ = Content::with_tag(rest.value());
  for (const Body& body : run_.maker().bodies()) bodies_.push_back(Content::with_tag(mesh_bytes(body.mesh)));
  for (std::size_t i = 0; i < facts_.sets.size(); ++i)
    sets_.push_back({facts_.sets[i].name, run_.drags()[i].has_value()});
  return ok();
}

Result<Content> Live::frame(int) {
  return Error{"live", "a live simulation has no numbered frames; /api/live/frame is the newest"};
}

Result<Content> Live::body(std::size_t index) {
  if (index >= bodies_.size()) return nothing(fmt::format("body {}", index));
  return bodies_[index];
}

std::string Live::state_json() {
  const std::lock_guard lock(mutex_);
  json sets = json::array();
  for (const DragTarget& target : sets_) sets.push_back({{"name", target.set}, {"draggable", target.draggable}});
  const json state = {{"frame", record_.number},
                      {"time", record_.time},
                      {"paused", paused_},
                      {"speed", paused_ ? 0.0 : speed_},
                      {"error", error_.empty() ? json(nullptr) : json(error_)},
                      {"controls", to_json(controls_)},
                      {"defaults", to_json(defaults_)},
                      {"sets", std::move(sets)},
                      {"record", to_json(record_)}};
  return state.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Status Live::control(const std::string& text) {
  const Result<ControlOrder> parsed = parse_controls(text);
  if (!parsed) return parsed.error();
  const ControlOrder& order = parsed.value();
  if (order.wind && !defaults_.wind)
    return Error{"wind", "the scene has no air, so there is no wind; run.air.density = 1.2 makes some"};
  if (order.friction && !defaults_.friction)
    return Error{"friction", "the scene has no contact with friction; [contact] with law = \"coulomb\" makes some"};
  {
    const std::lock_guard lock(mutex_);
    if (order.gravity) controls_.gravity = *order.gravity;
    if (order.wind) controls_.wind = *order.wind;
    if (order.stiffness) controls_.stiffness = *order.stiffness;
    if (order.damping) controls_.damping = *order.damping;
    if (order.friction) controls_.friction = *order.friction;
    if (order.paused) paused_ = *order.paused;
    reset_ = reset_ || order.reset, step_ = step_ || order.step;
    settled_ = false;
  }
  ordered_.notify_all();
  return ok();
}

Status Live::drag(const std::string& text) {
  Result<DragOrder> order = parse_drag(text);
  if (!order) return order.error();
  const auto target = std::ranges::find(sets_, order.value().set, &DragTarget::set);
  if (target == sets_.end()) {
    std::vector<std::string> known;
    for (const DragTarget& set : sets_) known.push_back(set.set);
    return Error{order.value().set, "there are no strands of this name" + did_you_mean(order.value().set, known)};
  }
  if (!target->draggable) return Error{target->set, "its roots are free, or carried by a mesh: they cannot be dragged"};
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(drag_orders_, [&](const DragOrder& older) { return older.set == target->set; });
    drag_orders_.push_back(std::move(order.value()));
    settled_ = false;
  }
  ordered_.notify_all();
  return ok();
}

std::optional<Content> Live::wait_for_frame(std::int64_t after, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  shown_.wait_for(lock, patience, [&] { return stopping_ || record_.number > after; });
  return record_.number > after ? std::optional(frame_) : std::nullopt;
}

void Live::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ordered_.notify_all(), shown_.notify_all();
}

bool Live::has_work() const { return reset_ || step_ || (!paused_ && !(run_.is_static() && settled_)); }

void Live::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!has_work()) {
      ordered_.wait(lock);
      due_ = last_shown_ = Clock::now();
      continue;
    }
    const bool reset = std::exchange(reset_, false);
    if (reset)
      drag_orders_.clear();
    else
      single_ = std::exchange(step_, false);
    lock.unlock();
    make_frame(reset);
    lock.lock();
    keep_pace(lock);
  }
}

void Live::make_frame(bool reset) {
  try {
    if (reset) run_.reset();
    show(reset ? ok() : advance());
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    error_ = "the machine has no memory left for a frame; close other programs, then go on or reset";
    paused_ = true;
  }
}

Status Live::advance() {
  for (std::int64_t i = 0; i < run_.steps_per_frame(); ++i) {
    const Result<bool> goes_on = take_orders();
    if (!goes_on) return goes_on.error();
    if (!goes_on.value()) return ok();
    if (Status status = run_.step(); !status) return status;
  }
  return ok();
}

// False: the frame is not to be finished.
Result<bool> Live::take_orders() {
  std::vector<DragOrder> drags;
  LiveControls controls;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || reset_ || (paused_ && !single_)) return false;
    drags.swap(drag_orders_);
    controls = controls_;
    settled_ = true;  // until the next order comes
  }
  if (Status status = run_.control(controls); !status) return status.error();
  for (const DragOrder& order : drags) run_.drag(order);
  return true;
}

void Live::show(const Status& moved) {
  FrameRecord record;
  Result<std::vector<std::byte>> bytes = run_.show(record_.number + 1, record);
  const std::lock_guard lock(mutex_);
  error_ = !moved ? moved.error().message() : !bytes ? bytes.error().message() : "";
  if (error_.empty() && run_.is_static() && record.usable) error_ = "some strands found no equilibrium";
  paused_ = paused_ || !moved || !bytes;
  settled_ = settled_ && !run_.under_way();
  if (!bytes) return;
  frame_ = Content(std::string(reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size()));
  record_ = record;
  shown_.notify_all();
}

// Never faster than the clock; time that was lost is not made up for.
void Live::keep_pace(std::unique_lock<std::mutex>& lock) {
  const std::chrono::duration<double> frame(run_.frame_seconds());
  due_ = std::max(due_ + std::chrono::duration_cast<Clock::duration>(frame), Clock::now());
  ordered_.wait_until(lock, due_, [&] { return stopping_ || reset_ || step_; });
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - std::exchange(last_shown_, now)).count();
  speed_ += 0.1 * (frame.count() / std::max(seconds, 1e-6) - speed_);
}

}  // namespace tendril::serve
