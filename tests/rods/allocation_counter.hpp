// Counts every allocation of the program, C or C++, in any thread, by standing in for the C library's entry points.
// Included by one file of a program. Not under sanitizers, which stand there themselves.
#pragma once

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TENDRIL_COUNTS_ALLOCATIONS

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace tendril::support {
inline std::atomic<long> allocations = 0;
}

extern "C" {
void* malloc(std::size_t size) noexcept { return ++tendril::support::allocations, __libc_malloc(size); }
void* calloc(std::size_t n, std::size_t size) noexcept {
  return ++tendril::support::allocations, __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) noexcept { return ++tendril::support::allocations, __libc_realloc(p, size); }
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return ++tendril::support::allocations, __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  return (*p = memalign(alignment, size)) != nullptr ? 0 : ENOMEM;
}
}

#endif
