# Writes the commit of SOURCE_DIR ("-dirty" if a tracked file differs) and COMPILER into OUTPUT, only if it changed.
set(COMMIT "unknown")
if(GIT)
  execute_process(
    COMMAND "${GIT}" rev-parse --short=12 --verify --quiet HEAD
    WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE failed)
  if(NOT failed)
    execute_process(
      COMMAND "${GIT}" status --porcelain --untracked-files=no
      WORKING_DIRECTORY "${SOURCE_DIR}"
      OUTPUT_VARIABLE changes ERROR_QUIET)
    set(COMMIT "${head}")
    if(changes)
      string(APPEND COMMIT "-dirty")
    endif()
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
