# Install rules: the command, the library with its headers, and the package that find_package(Tendril) reads.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tendril")

install(TARGETS tendril RUNTIME)
install(TARGETS tendril_core EXPORT TendrilTargets ARCHIVE)
install(DIRECTORY src/tendril "${PROJECT_BINARY_DIR}/generated/tendril" TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(EXPORT TendrilTargets NAMESPACE Tendril:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/TendrilConfig.cmake.in "${PROJECT_BINARY_DIR}/TendrilConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TendrilConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TendrilConfig.cmake" "${PROJECT_BINARY_DIR}/TendrilConfigVersion.cmake"
        DESTINATION "${package_dir}")
install(FILES LICENSE TYPE DOC)

# The page of `tendril view`, with the two libraries that `npm ci` in viewer/ has put there; without them it says so.
set(page_dir "${CMAKE_INSTALL_DATADIR}/tendril/viewer")
install(DIRECTORY viewer/ DESTINATION "${page_dir}" FILES_MATCHING PATTERN "*.html" PATTERN "*.js" PATTERN "*.css"
        PATTERN "*.svg" PATTERN "node_modules" EXCLUDE)
foreach(file three/build/three.module.js three/build/three.core.js uplot/dist/uPlot.esm.js uplot/dist/uPlot.min.css)
  get_filename_component(folder "${file}" DIRECTORY)
  install(FILES "viewer/node_modules/${file}" DESTINATION "${page_dir}/node_modules/${folder}" OPTIONAL)
endforeach()
