# Flags that all of Tendril's own code shares, and the compiler cache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF) # -std=c++20; GNU vector types work there too
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
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
