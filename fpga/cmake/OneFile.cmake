# SPDX-License-Identifier: GPL-3.0-or-later
# Writes TARGET, which includes all that Verilator has written for PREFIX into FOLDER: one file is known before it runs.
file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/${PREFIX}*.cpp)
list(SORT sources)
set(text "")
foreach(source IN LISTS sources)
  string(APPEND text "#include \"${source}\"\n")
endforeach()
file(WRITE ${TARGET} "${text}")
