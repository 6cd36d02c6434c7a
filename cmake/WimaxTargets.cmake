# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler settings and small helpers shared by every component.

include(WimaxCompiler)
include(WimaxPython)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# A tenth of the compiler's time for a fifth more memory: GCC looks for unused memory after 400 MB instead of 128.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=400000>)

# Code of the static libraries is position-independent for the modules of Python and GNU Radio. No program replaces
# one of their functions: without this option GCC does not inline those that another file could replace.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)

# GNU's gold, where it is installed, links a program in a third of the time (test_phyd_service: 0.18 s instead of 0.53 s).
find_program(WIMAX_GOLD ld.gold)
if(WIMAX_GOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=gold -Wl,--allow-shlib-undefined)  # Boost.Chrono is a dependency that GNU Radio does not name
endif()

# Off by default: another compiler has other warnings. Continuous integration sets the environment variable, which has precedence.
option(WIMAX_WERROR "Treat warnings as errors" OFF)
if(DEFINED ENV{WIMAX_WERROR})
  set(WIMAX_WERROR $ENV{WIMAX_WERROR} CACHE BOOL "Treat warnings as errors" FORCE)
endif()
option(WIMAX_FUZZERS "Build the libFuzzer targets (clang only)" OFF)
set(WIMAX_SANITIZE "" CACHE STRING "Sanitizers, for instance address,undefined or thread")

if(WIMAX_SANITIZE)
  add_compile_options(-fsanitize=${WIMAX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WIMAX_SANITIZE})
endif()
if(WIMAX_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_custom_target(fuzzers)
endif()

# What a test prints at its end when it could not run some of its cases and the others passed; ctest then shows it as skipped.
set(WIMAX_SKIPPED "OK \\(skipped=|\\[  SKIPPED \\] [^\n]*\n*$")

# Warnings for our own code only: headers of GNU Radio and UHD come in as system headers.
function(wimax_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651). Its notes about the ABI of vectors
    # and of complex numbers concern code of GCC before 4.6; here one compiler compiles everything that passes them.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-psabi>)
  if(WIMAX_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Files of a target are compiled sixteen at a time: most of the compiler's time is spent on shared headers. Names in an anonymous
# namespace must therefore be unique within their target. Editors and mutation need each file separately.
option(WIMAX_TOGETHER "Compile files of a target several at a time" ON)
function(wimax_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WIMAX_TOGETHER} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# wimax_optimize(target LEVEL): -O3 of a release is for signal processing. 2: the rest of what works in each frame, which saves a
# sixth of the compiler's time. g: tests, files, command lines, configurations, and the daemons around the libraries: a fifth to
# two fifths (GCC 12 needs more for -O1). In "wimax bench" both daemons take as much processor time as with -O2.
function(wimax_optimize target level)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O${level}>)
endfunction()

# Headers of the standard library, compiled once for a target: where anonymous namespaces have equal names.
function(wimax_headers target)
  if(WIMAX_TOGETHER)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <complex> <cstdint> <functional> <limits> <memory> <numeric>
      <optional> <span> <string> <tuple> <utility> <vector>)
  endif()
endfunction()

# wimax_library(name SOURCES... ) - static library whose headers are included as "component/header.h"
function(wimax_library name)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC ${WIMAX_SOURCE_DIR}/apps)
  wimax_warnings(${name})
  wimax_optimize(${name} 2)
endfunction()

# Tests run side by side, but for those of the whole stack: programs that work together have the machine for themselves.
function(wimax_test_properties name label)
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${WIMAX_TEST_TIMEOUT_S} SKIP_REGULAR_EXPRESSION "${WIMAX_SKIPPED}")
  if(label STREQUAL "stack")
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# Ends a test that hangs; many times what any of them takes. A test may set another. An emulated processor needs more.
set(WIMAX_TEST_TIMEOUT_S 280 CACHE STRING "Time limit of a test in seconds")

# Headers that most tests include, compiled once for all of them. GCC alone: Clang compares every definition.
function(wimax_test_headers name)
  if(NOT WIMAX_TOGETHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  if(NOT TARGET wimax-test-headers)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cc CONTENT "// of the target wimax-test-headers, which has them precompiled\n")
    add_executable(wimax-test-headers EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/test_headers.cc)
    target_link_libraries(wimax-test-headers PRIVATE GTest::gtest GTest::gtest_main)
    wimax_test_options(wimax-test-headers)
    target_precompile_headers(wimax-test-headers PRIVATE <gtest/gtest.h> <algorithm> <array> <chrono> <cmath> <complex> <cstdint>
      <filesystem> <fstream> <functional> <map> <memory> <mutex> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread> <vector>)
  endif()
  target_precompile_headers(${name} REUSE_FROM wimax-test-headers)
endfunction()

# What is tested is in libraries.
function(wimax_test_options name)
  wimax_warnings(${name})
  wimax_optimize(${name} g)
endfunction()

# What wimax_test() and wimax_tests() have in common: a program of these sources.
function(wimax_test_program name)
  cmake_parse_arguments(T "" "" "LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${T_LIBS} GTest::gtest)
  target_compile_definitions(${name} PRIVATE WIMAX_VECTORS="${WIMAX_SOURCE_DIR}/tests/vectors")
  wimax_test_options(${name})
  wimax_test_headers(${name})
  if(T_UNPARSED_ARGUMENTS MATCHES ";")
    wimax_together(${name})
  endif()
endfunction()

# wimax_test(name SOURCES... [LIBS ...] [LABEL unit|vector|stack|fuzz]) - a program that is one test of ctest
function(wimax_test name)
  cmake_parse_arguments(T "" "LABEL" "" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  wimax_test_program(${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  wimax_test_properties(${name} "${T_LABEL}")
endfunction()

# wimax_tests(program TESTS name=test_x.cc... [LIBS ...] [LABEL ...]) - a program of several files, each of them one test of ctest.
# Each file has a namespace of its name, so that they can be compiled together.
function(wimax_tests program)
  cmake_parse_arguments(P "" "LABEL" "LIBS;TESTS" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  list(TRANSFORM P_TESTS REPLACE "^.*=" "" OUTPUT_VARIABLE files)
  wimax_test_program(${program} ${files} ${WIMAX_SOURCE_DIR}/tests/file_main.cc LIBS ${P_LIBS})
  foreach(test IN LISTS P_TESTS)
    string(REPLACE "=" ";" test ${test})
    list(GET test 0 name)
    list(GET test 1 file)
    get_filename_component(file ${file} NAME)
    add_test(NAME ${name} COMMAND ${program} --file ${file})
    wimax_test_properties(${name} "${P_LABEL}")
  endforeach()
endfunction()

# wimax_python_test(name label ARGUMENTS...) - runs Python with these arguments
function(wimax_python_test name label)
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${WIMAX_PYTHON} -B ${ARGN})
  wimax_test_properties(${name} ${label})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "PYTHONPATH=${WIMAX_SOURCE_DIR}/apps/tools/python:${CMAKE_BINARY_DIR}/python")
endfunction()

# wimax_fuzzer(name SOURCES... [LIBS ...]) - a libFuzzer target, run briefly by the test command
function(wimax_fuzzer name)
  cmake_parse_arguments(F "" "" "LIBS" ${ARGN})
  if(NOT WIMAX_FUZZERS)
    return()
  endif()
  add_executable(${name} ${F_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${F_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  wimax_warnings(${name})
  add_dependencies(fuzzers ${name})
  add_test(NAME ${name} COMMAND ${name} -max_total_time=10 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1)
  set_tests_properties(${name} PROPERTIES LABELS fuzz)
endfunction()
