# qdiscsim_order_test(NAME SOURCES ... LINK ... CORRECT variant ... WEAKENED variant ...)
# A program that takes a variant as its argument: a scenario with the memory orders as they are, or
# with one of them weakened to relaxed. ThreadSanitizer must report a race for each weakened variant
# and nothing for a correct one. Exists only in builds with ThreadSanitizer.
function(qdiscsim_order_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;CORRECT;WEAKENED" ${ARGN})
  if(NOT QDISCSIM_SANITIZE STREQUAL "thread")
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE qdiscsim_options ${ARG_LINK})
  if(NOT TARGET tests_tsan)
    add_custom_target(tests_tsan)
  endif()
  add_dependencies(tests_tsan ${name})
  foreach(variant ${ARG_CORRECT})
    add_test(NAME ${name}.no_race_with_${variant} COMMAND ${name} ${variant})
    set_tests_properties(${name}.no_race_with_${variant} PROPERTIES LABELS tsan TIMEOUT 120)
  endforeach()
  foreach(variant ${ARG_WEAKENED})
    add_test(NAME ${name}.race_reported_with_${variant} COMMAND ${name} ${variant})
    # The report itself is looked for: a crash or a wrong argument must not pass for one.
    set_tests_properties(${name}.race_reported_with_${variant} PROPERTIES LABELS tsan TIMEOUT 120
      ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1"
      PASS_REGULAR_EXPRESSION "WARNING: ThreadSanitizer: data race")
  endforeach()
endfunction()
