# SPDX-License-Identifier: GPL-3.0-or-later
# Refuses a compiler that is too old, and names the package of one that is not. GCC 12 and Clang 14 are the oldest that the tests use:
# Debian 12 brings GCC 12, and Clang 14 compiles the fuzzers.
set(wimax_oldest_GNU 12)
set(wimax_oldest_Clang 14)
if(DEFINED wimax_oldest_${CMAKE_CXX_COMPILER_ID} AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS wimax_oldest_${CMAKE_CXX_COMPILER_ID})
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}: too old. C++20 as it is used here needs GCC "
    "${wimax_oldest_GNU} or Clang ${wimax_oldest_Clang}, or later.\nOn Debian and Ubuntu, install the package g++-${wimax_oldest_GNU}, remove the "
    "build folder, and configure with -D CMAKE_C_COMPILER=gcc-${wimax_oldest_GNU} -D CMAKE_CXX_COMPILER=g++-${wimax_oldest_GNU}\n")
endif()
