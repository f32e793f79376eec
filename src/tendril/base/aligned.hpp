// Arrays on cache-line boundaries, for lane streams.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tendril {

template <class T, std::size_t alignment = 64>
struct AlignedAllocator {
  using value_type = T;
  template <class U>
  struct rebind {
    using other = AlignedAllocator<U, alignment>;
  };
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U, alignment>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignment))); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(alignment)); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace tendril
