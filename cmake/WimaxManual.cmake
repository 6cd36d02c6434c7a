# SPDX-License-Identifier: GPL-3.0-or-later
# Manual pages, made from the output of --help: help2man runs each command through a small script of the page's name.
if(CMAKE_CROSSCOMPILING)
  message(STATUS "manual pages are left out: this machine cannot run the commands")
  return()
endif()
find_program(HELP2MAN help2man)
if(NOT HELP2MAN)
  message(STATUS "manual pages are left out: help2man is not there")
  return()
endif()

# wimax_manual(page "what it is" DEPENDS what it is made of COMMAND words...)
function(wimax_manual page title)
  cmake_parse_arguments(M "" "" "DEPENDS;COMMAND" ${ARGN})
  string(JOIN " " command ${M_COMMAND})
  file(GENERATE OUTPUT ${WIMAX_STAGE}/commands/${page} CONTENT "#!/bin/sh\nexport PATH=${CMAKE_BINARY_DIR}/bin:$PATH COLUMNS=2000\n${command} \"$@\" | sed 's/^usage:/Usage:/; s/^options:/Options:/'\n"
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  set(out ${WIMAX_STAGE}/man/${page}.1)
  add_custom_command(OUTPUT ${out}.gz
    COMMAND ${HELP2MAN} --no-info "--name=${title}" --version-string=${PROJECT_VERSION} "--manual=WiMAX" --source=wimax --include=${WIMAX_SOURCE_DIR}/cmake/manual.h2m
            "--output=${out}" ${WIMAX_STAGE}/commands/${page}
    COMMAND gzip -9nf ${out}
    DEPENDS ${M_DEPENDS} ${WIMAX_SOURCE_DIR}/cmake/manual.h2m ${WIMAX_STAGE}/commands/${page} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY WIMAX_MANUAL ${out}.gz)
  install(FILES ${out}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

wimax_manual(wimax "base station, subscriber station and tools of IEEE 802.16-2004 WirelessMAN-OFDM"
  DEPENDS ${WIMAX_SOURCE_DIR}/wimax ${WIMAX_SOURCE_DIR}/cmake/help.sh ${WIMAX_STAGE}/share/wimax/installed.sh COMMAND ${WIMAX_STAGE}/bin/wimax)

# Programs, and those of their subcommands that have their own options.
foreach(entry
    "phyd|PHY of a base or subscriber station" "macd|MAC of a base or subscriber station" "stationd|many subscriber stations in one process"
    "channeld|radio channel between virtual radios"
    "sim|many stations over a model of the PHY, in virtual time" "link|error-rate curves of transmitter, channel and receiver"
    "radio|one radio on the bench" "radio probe|what a radio is, and its rates" "radio selftest|whether this host keeps up with a radio"
    "radio loopback|known bursts through a cable, over a grid of gains" "radio spectrum|what is on the air" "radio calibrate|levels of a radio in dBm, measured"
    "radio capture|samples around an event, to a SigMF recording"
    "acquisition|how reliably a receiver finds a base station" "speed|throughput of the signal processing on one core"
    "iq|signal generator and analyser" "iq generate|samples of a downlink or an uplink signal" "iq impair|a recording through a radio channel"
    "iq decode|frames or an uplink burst in a recording" "pdu|MAC PDUs and messages to JSON and back"
    "pdu decode|MAC PDUs and messages to JSON" "pdu encode|JSON to MAC PDUs and messages")
  string(REPLACE "|" ";" entry ${entry})
  list(GET entry 0 command)
  list(GET entry 1 title)
  string(REPLACE " " ";" words ${command})
  list(GET words 0 program)
  if(TARGET wimax-${program})
    string(REPLACE " " "-" page wimax-${command})
    wimax_manual(${page} ${title} DEPENDS wimax-${program} COMMAND wimax-${words})
  endif()
endforeach()

foreach(entry
    "upkeep up|programs of this host, kept running" "upkeep logs|what a program that is kept running has said"
    "bench|the whole system on one machine, measured" "campaign|sweeps of link curves, simulations and experiments over many cores or machines"
    "repeat|the command behind a result again, with its figures compared"
    "demo|a cell with three stations and a fade, explained as it happens"
    "watch|the cell in the browser, live, and its administration" "metrics|figures of the programs of this host for Prometheus"
    "ctl|what a running program tells, and what may be changed while it works" "flows|service flows of a running station" "stations|subscriber stations of a running base station"
    "policy|tries a scheduler of the user in simulated cells" "keys|certificates of a laboratory's stations" "managed|servers for the managed stations of a laboratory")
  string(REPLACE "|" ";" entry ${entry})
  list(GET entry 0 command)
  list(GET entry 1 title)
  string(REPLACE " " ";" words ${command})
  list(GET words 0 module)
  list(GET words -1 name)
  set(package ${WIMAX_SOURCE_DIR}/apps/tools/python)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${package}/wimax_tools/${module}/*.py)
  wimax_manual(wimax-${name} ${title} DEPENDS ${sources}
    COMMAND env PYTHONPATH=${package} ${WIMAX_PYTHON} -B -m wimax_tools.${words})
endforeach()

wimax_manual(wimax-doctor "whether this machine is ready, and a radio at it"
  DEPENDS ${package}/wimax_tools/bench/doctor.py ${package}/wimax_tools/bench/radio_host.py
  COMMAND env PYTHONPATH=${package} ${WIMAX_PYTHON} -B -m wimax_tools.bench.doctor)

get_property(pages GLOBAL PROPERTY WIMAX_MANUAL)
add_custom_target(manual ALL DEPENDS ${pages})
