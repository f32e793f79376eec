# The typeface of pictures' legends goes into the program as it is installed on the machine that builds it, so that the
# program needs no file of its own to write words.
function(tendril_add_typeface library)
  find_file(
    TENDRIL_TYPEFACE DejaVuSans.ttf
    PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/TTF /usr/share/fonts/dejavu /usr/share/fonts/dejavu-sans-fonts
    REQUIRED)
  set(source "${PROJECT_BINARY_DIR}/generated/typeface.S")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
    .section .rodata
    .balign 16
    .global tendril_typeface_begin, tendril_typeface_end
    .hidden tendril_typeface_begin, tendril_typeface_end
tendril_typeface_begin:
    .incbin "@TENDRIL_TYPEFACE@"
tendril_typeface_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
]])
  target_sources(${library} PRIVATE "${source}")
endfunction()
