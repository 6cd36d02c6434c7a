# SPDX-License-Identifier: GPL-3.0-or-later
# WIMAX_PYTHON: the interpreter that GNU Radio was built for, as another one on PATH does not find GNU Radio's modules. The launcher
# reads it from the build folder's cache. Without GNU Radio (a subset of components) it is the one that CMake finds.
function(wimax_find_python)
  # GNU Radio's package cannot be loaded here: its targets would be in the way of those of the folders that load it.
  set(folders lib/cmake/gnuradio lib64/cmake/gnuradio)
  if(CMAKE_LIBRARY_ARCHITECTURE)
    list(PREPEND folders lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/gnuradio)
  endif()
  list(TRANSFORM folders PREPEND ../)  # of a prefix's folder include, where files are looked for
  find_file(WIMAX_GNURADIO_CONFIG GnuradioConfig.cmake HINTS ${Gnuradio_DIR} PATH_SUFFIXES ${folders})
  mark_as_advanced(WIMAX_GNURADIO_CONFIG)
  if(PYTHON_EXECUTABLE)
    set(found ${PYTHON_EXECUTABLE})
  elseif(WIMAX_GNURADIO_CONFIG)
    file(STRINGS ${WIMAX_GNURADIO_CONFIG} lines REGEX "set\\(PYTHON_EXECUTABLE [^$)]+\\)")
    string(REGEX REPLACE ".*set\\(PYTHON_EXECUTABLE ([^)]+)\\).*" "\\1" found "${lines}")
  endif()
  if(NOT found)
    find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
    set(found ${Python3_EXECUTABLE})
  endif()
  set(WIMAX_PYTHON ${found} CACHE FILEPATH "Python interpreter that GNU Radio was built for")
endfunction()
wimax_find_python()
