# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler settings and small helpers shared by every component.

include(WimaxCompiler)
include(WimaxPython)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

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
    # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(WIMAX_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Files of a target are compiled eight at a time: most of the compiler's time goes into headers that they share. What stands in
# an anonymous namespace therefore needs a name of its own within its target. Editors and mutation want each file by itself.
option(WIMAX_TOGETHER "Compile files of a target several at a time" ON)
function(wimax_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WIMAX_TOGETHER} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# wimax_library(name SOURCES... ) - static library whose headers are included as "component/header.h"
function(wimax_library name)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC ${WIMAX_SOURCE_DIR}/apps)
  wimax_warnings(${name})
endfunction()

# Tests run side by side, but for those of the whole stack: programs that work together have the machine for themselves.
function(wimax_test_properties name label)
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${WIMAX_TEST_TIMEOUT_S} SKIP_REGULAR_EXPRESSION "${WIMAX_SKIPPED}")
  if(label STREQUAL "stack")
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# Ends a test that hangs; many times what any of them takes. A test may set another.
set(WIMAX_TEST_TIMEOUT_S 280)

# wimax_test(name SOURCES... [LIBS ...] [LABEL unit|vector|stack|fuzz]) - by -O1, which saves a fifth of the
# compiler's time: what is tested is in libraries
function(wimax_test name)
  cmake_parse_arguments(T "" "LABEL" "LIBS" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  find_package(GTest REQUIRED)
  add_executable(${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${T_LIBS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE WIMAX_VECTORS="${WIMAX_SOURCE_DIR}/tests/vectors")
  wimax_warnings(${name})
  if(T_UNPARSED_ARGUMENTS MATCHES ";")
    wimax_together(${name})
  endif()
  # At -O1 GCC 12 takes the arrays behind initializer lists for uninitialized.
  target_compile_options(${name} PRIVATE -O1 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_test(NAME ${name} COMMAND ${name})
  wimax_test_properties(${name} "${T_LABEL}")
endfunction()

# wimax_python_test(name label ARGUMENTS...) - runs Python with these arguments
function(wimax_python_test name label)
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${WIMAX_PYTHON} -B ${ARGN})
  wimax_test_properties(${name} ${label})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "PYTHONPATH=${WIMAX_SOURCE_DIR}/apps/tools/python")
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
