# SPDX-License-Identifier: GPL-3.0-or-later
# What belongs to no component alone: the launcher, configurations, descriptions, flowgraphs, documents, units, manual.
set(WIMAX_DOC ${CMAKE_INSTALL_DATADIR}/doc/wimax)
set(no_build_files PATTERN "CMakeLists.txt" EXCLUDE PATTERN "*.py" EXCLUDE)

# The launcher is the source tree's; the files next to it are those of an installation. Manual pages show that one.
set(WIMAX_STAGE ${CMAKE_BINARY_DIR}/manual)
file(RELATIVE_PATH prefix_from_bin /p/${CMAKE_INSTALL_BINDIR} /p)
configure_file(wimax ${WIMAX_STAGE}/bin/wimax COPYONLY)
configure_file(cmake/help.sh ${WIMAX_STAGE}/share/wimax/help.sh COPYONLY)
configure_file(cmake/installed.sh.in ${WIMAX_STAGE}/share/wimax/installed.sh @ONLY)
install(PROGRAMS wimax DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${WIMAX_STAGE}/share/wimax/installed.sh cmake/help.sh DESTINATION ${WIMAX_SHARE})
install(CODE "
  set(ENV{PYTHONPATH} ${WIMAX_SOURCE_DIR}/apps/tools/python)
  execute_process(COMMAND ${WIMAX_PYTHON} -B -c \"from wimax_tools import provenance; print(provenance.commit())\"
                  OUTPUT_FILE ${WIMAX_STAGE}/commit COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${WIMAX_PYTHON} -B -m wimax_tools.metrics.dashboard OUTPUT_FILE ${WIMAX_STAGE}/grafana.json COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL ${WIMAX_STAGE}/grafana.json DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${WIMAX_SHARE}/config/monitoring\")
  file(INSTALL ${WIMAX_STAGE}/commit DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${WIMAX_SHARE}\")")

# Daemons' configurations are the machine's own; the folder that documents call config/ leads to them.
file(GLOB daemons_configs CONFIGURE_DEPENDS RELATIVE ${WIMAX_SOURCE_DIR}/config config/*.yml)
file(MAKE_DIRECTORY ${WIMAX_STAGE}/config)
foreach(file IN LISTS daemons_configs)
  install(FILES config/${file} DESTINATION ${WIMAX_CONFIG_DIR})
  set(target ${WIMAX_CONFIG_DIR}/${file})
  if(NOT IS_ABSOLUTE ${target})
    file(RELATIVE_PATH target /p/${WIMAX_SHARE}/config /p/${target})
  endif()
  file(CREATE_LINK ${target} ${WIMAX_STAGE}/config/${file} SYMBOLIC)
  install(FILES ${WIMAX_STAGE}/config/${file} DESTINATION ${WIMAX_SHARE}/config)
endforeach()
install(DIRECTORY config/b210 config/scenarios config/monitoring config/radios DESTINATION ${WIMAX_SHARE}/config)
install(DIRECTORY tests/experiments DESTINATION ${WIMAX_SHARE}/tests ${no_build_files})
install(DIRECTORY flowgraphs DESTINATION ${WIMAX_SHARE} ${no_build_files})
install(DIRECTORY apps/tools/wireshark/ DESTINATION ${WIMAX_SHARE}/wireshark FILES_MATCHING PATTERN "*.lua")
install(FILES VERSION CITATION.cff DESTINATION ${WIMAX_SHARE})
install(FILES README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff DESTINATION ${WIMAX_DOC})
install(DIRECTORY docs DESTINATION ${WIMAX_DOC} PATTERN "studies" EXCLUDE)
foreach(package wimax gr-wimax libgnuradio-wimax)
  install(FILES cmake/packages/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${package})
endforeach()

# systemd units name the programs by their place: of use where the prefix is that of the configuration.
set(config_folder ${WIMAX_CONFIG_DIR})
if(NOT IS_ABSOLUTE ${config_folder})
  set(config_folder ${CMAKE_INSTALL_PREFIX}/${config_folder})
endif()
set(module_folder ${CMAKE_INSTALL_PREFIX}/${WIMAX_UHD_MODULE_DIR})
set(common_unit "# Restarts go on until the cause has gone: another process on the same sockets, a device that is missing.
StartLimitIntervalSec=0")
set(common_settings "Restart=on-failure
RestartSec=2
# ExitStatus::configuration_refused of apps/common/exit_status.h: every start would end the same way until the file is changed.
RestartPreventExitStatus=2
User=wimax
Group=wimax
UMask=0027
Environment=WIMAX_RUN=%t/wimax-units HOME=%S/wimax
# Shared by all stations of the host: it stays when one of them ends. Not /run/wimax, which is the folder of root's programs.
RuntimeDirectory=wimax-units
RuntimeDirectoryPreserve=yes
StateDirectory=wimax
StateDirectoryMode=0750
# The limits allow real-time priority and locked memory without CAP_SYS_NICE and CAP_IPC_LOCK.
LimitRTPRIO=50
LimitMEMLOCK=infinity
NoNewPrivileges=yes
LockPersonality=yes
RestrictSUIDSGID=yes")
set(no_rights "CapabilityBoundingSet=
ProtectSystem=full
ProtectHome=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK")
foreach(unit wimax-channeld.service wimax-metrics.service wimax-phyd@.service wimax-macd@.service)
  configure_file(cmake/packages/${unit}.in ${WIMAX_STAGE}/units/${unit} @ONLY)
  install(FILES ${WIMAX_STAGE}/units/${unit} DESTINATION lib/systemd/system)
endforeach()
install(FILES cmake/packages/sysusers.conf DESTINATION lib/sysusers.d RENAME wimax.conf)

# Completion is found by the name of the command.
set(completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES cmake/completion.bash DESTINATION ${completions} RENAME wimax)
install(FILES cmake/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _wimax)

include(WimaxManual)
