// Embree's handles with owners, and its errors as exceptions: what both closest points and pictures need.
#pragma once

#include <embree3/rtcore.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tendril::embree {

struct Release {
  void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
  void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
  void operator()(RTCGeometry geometry) const { rtcReleaseGeometry(geometry); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;

inline void check(RTCDevice device) {
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  if (error != RTC_ERROR_NONE) throw std::runtime_error("Embree: error " + std::to_string(error));
}

// All threads that may build the tree are to be ours, and only the calling one does: Embree's own would compete with
// those of base/parallel, ThreadSanitizer cannot see into them, and the tree would depend on how many there are.
// (threads=1 would set the number for the whole program.)
inline Owned<RTCDevice> make_device() {
  Owned<RTCDevice> device(rtcNewDevice("user_threads=65536"));
  check(device.get());
  return device;
}

}  // namespace tendril::embree
