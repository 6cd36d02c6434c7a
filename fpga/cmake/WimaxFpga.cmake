# SPDX-License-Identifier: GPL-3.0-or-later
# A core of fpga/rtl: its Verilated library, and its tests of lint, budget and cocotb.
set(WIMAX_FPGA AUTO CACHE STRING "FPGA cores in the virtual radio, and their tests: ON, OFF, or AUTO (ON where Verilator is found)")
set_property(CACHE WIMAX_FPGA PROPERTY STRINGS AUTO ON OFF)
set(WIMAX_HAS_FPGA OFF)
set(oldest_verilator 5.0)  # --no-timing
if(WIMAX_FPGA STREQUAL "AUTO" OR WIMAX_FPGA)
  find_program(VERILATOR verilator)
  set(verilator_version "none")
  if(VERILATOR)
    execute_process(COMMAND ${VERILATOR} --version OUTPUT_VARIABLE verilator_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^Verilator ([0-9.]+).*" "\\1" verilator_version "${verilator_version}")
  endif()
  if(VERILATOR AND verilator_version VERSION_GREATER_EQUAL ${oldest_verilator})
    set(WIMAX_HAS_FPGA ON)
  elseif(WIMAX_FPGA STREQUAL "AUTO")
    message(STATUS "fpga: left out, as Verilator ${oldest_verilator} or later was not found (found: ${verilator_version}). "
                   "To have it: install verilator and configure again")
  else()
    message(FATAL_ERROR "WIMAX_FPGA=${WIMAX_FPGA} needs Verilator ${oldest_verilator} or later (found: ${verilator_version}). "
                        "Install the package verilator, or configure with -D WIMAX_FPGA=OFF")
  endif()
else()
  message(STATUS "fpga: left out by WIMAX_FPGA=${WIMAX_FPGA}")
endif()
if(NOT WIMAX_HAS_FPGA)
  return()
endif()

# Needed by tests only.
find_program(IVERILOG iverilog)
find_program(YOSYS yosys)
if(BUILD_TESTING AND NOT IVERILOG)
  message(STATUS "fpga: tests of lint and cocotb are left out: iverilog was not found")
endif()
if(BUILD_TESTING AND NOT YOSYS)
  message(STATUS "fpga: tests of budgets are left out: yosys was not found")
endif()

execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE verilator_root OUTPUT_STRIP_TRAILING_WHITESPACE)
set(WIMAX_VERILATOR_INCLUDE ${verilator_root}/include CACHE PATH "Folder of verilated.h")
set(WIMAX_FPGA_ROMS ${CMAKE_BINARY_DIR}/fpga/roms)
set(WIMAX_COCOTB_PYTHON ${CMAKE_BINARY_DIR}/cocotb-python/bin/python)

# Verilator's own part, once for all cores. Not our code: no warnings.
add_library(wimax-verilated STATIC ${WIMAX_VERILATOR_INCLUDE}/verilated.cpp ${WIMAX_VERILATOR_INCLUDE}/verilated_threads.cpp)
target_include_directories(wimax-verilated SYSTEM PUBLIC ${WIMAX_VERILATOR_INCLUDE} ${WIMAX_VERILATOR_INCLUDE}/vltstd)
target_compile_options(wimax-verilated PRIVATE -w -O1)  # half the compiler's time of -O3
target_link_libraries(wimax-verilated PUBLIC Threads::Threads)

# wimax_fpga_core(core FILES... [ROMS names...]) - top module `core`, made of FILES below fpga/rtl, with rtl/common in reach.
#   wimax-fpga-rtl-CORE      Verilated: #include <VCORE.h>
#   fpga_CORE_lint           verilator and iverilog report nothing
#   fpga_CORE_budget         yosys counts what synth/budgets.yml allows
# ROMS are written by fpga-write-roms; modules include them as "NAME.vh".
function(wimax_fpga_core core)
  cmake_parse_arguments(C "" "" "ROMS" ${ARGN})
  set(files)
  foreach(file IN LISTS C_UNPARSED_ARGUMENTS)
    list(APPEND files ${CMAKE_CURRENT_SOURCE_DIR}/rtl/${file})
  endforeach()
  set(roms)
  foreach(rom IN LISTS C_ROMS)
    list(APPEND roms ${WIMAX_FPGA_ROMS}/${rom}.vh)
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/verilated/${core})
  set(all ${folder}/V${core}_all.cc)
  add_custom_command(OUTPUT ${all}
    COMMAND ${VERILATOR} --cc -O3 --x-assign fast --x-initial fast --noassert --no-timing -Wno-fatal --Mdir ${folder}
            --prefix V${core} --top-module ${core} -I${WIMAX_FPGA_ROMS} ${files}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DPREFIX=V${core} -DTARGET=${all} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/OneFile.cmake
    DEPENDS ${files} ${roms} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/OneFile.cmake
    COMMENT "Verilating ${core}" VERBATIM)
  add_library(wimax-fpga-rtl-${core} STATIC ${all})
  target_include_directories(wimax-fpga-rtl-${core} SYSTEM PUBLIC ${folder})
  target_link_libraries(wimax-fpga-rtl-${core} PUBLIC wimax-verilated)
  target_compile_options(wimax-fpga-rtl-${core} PRIVATE -w -O1)
  set(WIMAX_FPGA_FILES_${core} ${files} PARENT_SCOPE)
  if(IVERILOG)
    wimax_python_test(fpga_${core}_lint fpga ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_lint.py ${core} ${WIMAX_FPGA_ROMS} ${files})
  endif()
  if(YOSYS)
    wimax_python_test(fpga_${core}_budget fpga ${CMAKE_CURRENT_SOURCE_DIR}/synth/test_budget.py ${core} ${WIMAX_FPGA_ROMS} ${files})
  endif()
  if(TEST fpga_${core}_budget)
    set_tests_properties(fpga_${core}_budget PROPERTIES TIMEOUT 900)
  endif()
endfunction()

# wimax_fpga_cocotb(core FILES...) - sim/cocotb/test_CORE.py on Icarus, with the files of wimax_fpga_core().
function(wimax_fpga_cocotb core)
  if(NOT BUILD_TESTING OR NOT IVERILOG)
    return()
  endif()
  add_test(NAME fpga_${core}_cocotb
    COMMAND ${WIMAX_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/cocotb/run.py ${WIMAX_COCOTB_PYTHON} ${core}
            ${CMAKE_CURRENT_BINARY_DIR}/cocotb/${core} ${WIMAX_FPGA_ROMS} ${WIMAX_FPGA_FILES_${core}})
  set_tests_properties(fpga_${core}_cocotb PROPERTIES LABELS fpga TIMEOUT 900)
endfunction()
