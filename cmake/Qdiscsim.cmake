# Compiler settings and the two helpers that every folder uses.

add_library(qdiscsim_options INTERFACE)
target_include_directories(qdiscsim_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(qdiscsim_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(QDISCSIM_SANITIZE)
  target_compile_options(qdiscsim_options INTERFACE
    -fsanitize=${QDISCSIM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(qdiscsim_options INTERFACE -fsanitize=${QDISCSIM_SANITIZE})
endif()
if(QDISCSIM_FUZZ)
  target_compile_options(qdiscsim_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Code that no packet passes through, and tests, are compiled with less optimisation, and several
# files at once, as most of their time goes into the same headers: the build takes half the time, and
# nothing that is measured changes. Names in the anonymous namespaces of one target must differ.
function(qdiscsim_off_the_fast_path name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${QDISCSIM_UNITY} UNITY_BUILD_BATCH_SIZE 6)
endfunction()

# qdiscsim_library(NAME SOURCES ... LINK ...): a static library, or a header-only one without sources.
function(qdiscsim_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC qdiscsim_options ${ARG_LINK})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE qdiscsim_options ${ARG_LINK})
  endif()
endfunction()

# qdiscsim_test(NAME SOURCES ... LINK ... LABELS ...): one GoogleTest program, one CTest entry a case.
# The target tests_LABEL builds every program with that label.
function(qdiscsim_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE qdiscsim_options ${ARG_LINK} GTest::gmock GTest::gtest_main)
  qdiscsim_off_the_fast_path(${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_cases
    PROPERTIES TIMEOUT 120)
  # In a file of their own: gtest_discover_tests takes a list of labels apart and keeps the first.
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
  file(WRITE ${labels} "if(${name}_cases)
  set_tests_properties(\${${name}_cases} PROPERTIES LABELS \"${ARG_LABELS}\")
endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
  foreach(label ${ARG_LABELS})
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${name})
  endforeach()
endfunction()
