# Flags that all of Tendril's own code shares, and the compiler cache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF) # -std=c++20; GNU vector types work there too
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers want its leave to overlook unused macros; paths below the source folder do not count, so that
  # one clone finds what another has compiled.
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;${CCACHE_PROGRAM}")
endif()

if(TENDRIL_SANITIZE)
  # Without the checks for null and vptr, a third of the build time: a null pointer ends the program anyhow.
  add_compile_options(-fsanitize=${TENDRIL_SANITIZE} -fno-sanitize=null,vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TENDRIL_SANITIZE})
endif()

# -Wno-restrict: g++ 12 cries wolf over std::string's operator+ (its bug 105651).
# -Wno-psabi: passing a vector type wider than the baseline is no error here, each kernel stays within its own object.
function(tendril_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror -Wno-psabi
                                                -Wno-restrict)
endfunction()

# -fpch-preprocess: else ccache does not take it. -Wno-...: g++ 12 cries wolf over moved strings, and once headers are
# precompiled no longer knows that they are the system's.
function(tendril_precompiled_options target)
  target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow
                                           -Wno-stringop-overread)
endfunction()

# tendril_precompile(TARGET HEADERS...): what most of its files include is read once; a third of the time to compile them
# went into that.
function(tendril_precompile target)
  target_precompile_headers(
    ${target}
    PRIVATE
    <algorithm> <array> <atomic> <charconv> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <memory>
    <mutex> <numbers> <numeric> <optional> <span> <string> <string_view> <utility> <variant> <vector>
    <immintrin.h> ${ARGN})
  tendril_precompiled_options(${target})
endfunction()

# tendril_precompile_as(TARGET OTHER): with the same headers as another target that has the same flags.
function(tendril_precompile_as target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  tendril_precompiled_options(${target})
endfunction()
