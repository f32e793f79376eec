// libFuzzer entry: any text through the scene reader, which must answer with a scene or a sentence. To build it:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc $(pkg-config --cflags eigen3)
//     fuzz/scene_fuzz.cpp src/tendril/scene/*.cpp src/tendril/io/atomic_file.cpp src/tendril/geometry/pose.cpp
//     src/tendril/base/{parallel,random,text,thread_team}.cpp -lfmt -o scene_fuzz
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tendril/scene/scene.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scene = tendril::parse_scene({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  if (!scene && (scene.error().what.empty() || scene.error().where.empty())) std::abort();
  return 0;
}
