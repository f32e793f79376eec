# One binary, several instruction sets: each *.kernels.cpp is compiled once per set, in the namespace
# TENDRIL_ISA_NAMESPACE with TENDRIL_LANES doubles per lane vector, and all results go into the library.
# Nothing inline may be shared between the sets: the linker keeps one copy of an inline function, and if that is
# the AVX-512 one, ordinary code crashes on a machine without it. tests/isa looks for such symbols.
function(tendril_add_kernels library)
  if(NOT ARGN)
    return()
  endif()
  set(flags_reference -march=x86-64)
  set(flags_v2 -march=x86-64-v2)
  set(flags_avx2 -march=x86-64-v3)
  set(flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  set(lanes_reference 1)
  set(lanes_v2 2)
  set(lanes_avx2 4)
  set(lanes_avx512 8)
  # -O3 also in debug builds: what is left out of line there would be shared between the sets. Under sanitizers -O3 takes
  # minutes per file, and only this machine runs the result.
  set(level -O3)
  if(TENDRIL_SANITIZE)
    set(level -O1)
  endif()
  foreach(isa reference v2 avx2 avx512)
    set(kernels tendril_kernels_${isa})
    add_library(${kernels} OBJECT ${ARGN})
    set_target_properties(${kernels} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                VISIBILITY_INLINES_HIDDEN ON)
    target_include_directories(${kernels} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/generated")
    target_link_libraries(${kernels} PRIVATE Eigen3::Eigen)
    target_compile_definitions(${kernels} PRIVATE TENDRIL_ISA_NAMESPACE=isa_${isa} TENDRIL_LANES=${lanes_${isa}})
    tendril_compile_options(${kernels})
    # g++ 12 takes the deliberately undefined operands in its own AVX-512 header for a mistake of ours.
    target_compile_options(${kernels} PRIVATE ${level} -ffp-contract=fast ${flags_${isa}} -Wno-uninitialized
                                              -Wno-maybe-uninitialized)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${kernels}>)
  endforeach()
endfunction()
