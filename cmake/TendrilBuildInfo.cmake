# Version, commit and compiler. The header is written once at configure time; the commit stands in one small source
# that is checked at every build and rewritten only when it differs, so that a new commit compiles one file.
function(tendril_add_build_info library)
  set(generated "${PROJECT_BINARY_DIR}/generated")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/build_info.hpp.in" "${generated}/tendril/base/build_info.hpp" @ONLY)
  find_package(Git QUIET)
  add_custom_target(
    tendril_commit
    COMMAND
      ${CMAKE_COMMAND} -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}" -D "TEMPLATE=${PROJECT_SOURCE_DIR}/cmake/build_info.cpp.in"
      -D "OUTPUT=${generated}/build_info.cpp" -D "GIT=${GIT_EXECUTABLE}"
      -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -P
      "${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake"
    BYPRODUCTS "${generated}/build_info.cpp"
    COMMENT "Checking the commit"
    VERBATIM)
  target_sources(${library} PRIVATE "${generated}/build_info.cpp")
  set_source_files_properties("${generated}/build_info.cpp" PROPERTIES GENERATED ON)
  add_dependencies(${library} tendril_commit)
  target_include_directories(${library} PUBLIC "$<BUILD_INTERFACE:${generated}>")
endfunction()
