# SPDX-License-Identifier: GPL-3.0-or-later
# What this module needs of the project's CMake helpers, for builds from a copy of gr-wimax alone (the project's own file
# of the same name is found first where it exists).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

function(wimax_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow)
endfunction()
function(wimax_together target)
endfunction()
function(wimax_optimize target level)
endfunction()
function(wimax_headers target)
endfunction()
# Unit tests of the core read the project's vectors, which a copy of this folder alone does not have.
function(wimax_test)
endfunction()
function(wimax_tests)
endfunction()
function(wimax_python_test name label)
  add_test(NAME ${name} COMMAND ${PYTHON_EXECUTABLE} -B ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_REGULAR_EXPRESSION "OK \\(skipped=")
endfunction()
function(wimax_fuzzer)
endfunction()
