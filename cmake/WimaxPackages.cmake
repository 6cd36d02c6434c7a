# SPDX-License-Identifier: GPL-3.0-or-later
# Debian packages: cmake --preset package && ninja -C build-package package. The prefix must be /usr when this is configured.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The wimax project <wimax@localhost>")
set(CPACK_PACKAGE_VENDOR wimax)
# Debug symbols are separate packages: *-dbgsym_*.ddeb. CPack strips the programs when it has copied the symbols.
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_COMPONENTS_ALL libgnuradio-wimax gr-wimax wimax)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION hamradio)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/gr-wimax/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

# The library alone: the programs need neither GNU Radio's Python nor its displays.
set(CPACK_DEBIAN_LIBGNURADIO-WIMAX_PACKAGE_NAME libgnuradio-wimax)
set(CPACK_DEBIAN_LIBGNURADIO-WIMAX_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBGNURADIO-WIMAX_DESCRIPTION "IEEE 802.16-2004 WirelessMAN-OFDM for GNU Radio: library
 PHY core and blocks of a base and a subscriber station.")

set(CPACK_DEBIAN_GR-WIMAX_PACKAGE_NAME gr-wimax)
set(CPACK_COMPONENT_GR-WIMAX_DESCRIPTION "IEEE 802.16-2004 WirelessMAN-OFDM for GNU Radio
 Python module, GNU Radio Companion entries and headers of the blocks of a base and a subscriber station.")
# The module is compiled for one minor version of Python; displays need what the package gnuradio depends on.
execute_process(COMMAND ${WIMAX_PYTHON} -c "import sys; major, minor = sys.version_info[:2]; print(f'python3 (>= {major}.{minor}), python3 (<< {major}.{minor + 1})')"
                OUTPUT_VARIABLE python_range OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CPACK_DEBIAN_GR-WIMAX_PACKAGE_DEPENDS "libgnuradio-wimax (= ${PROJECT_VERSION}), gnuradio (>= 3.10), gnuradio (<< 3.11), ${python_range}")
set(CPACK_DEBIAN_GR-WIMAX_PACKAGE_SUGGESTS "gnuradio-dev, libexpected-dev")
set(CPACK_DEBIAN_WIMAX_PACKAGE_NAME wimax)
set(CPACK_COMPONENT_WIMAX_DESCRIPTION "IEEE 802.16-2004 WirelessMAN-OFDM base station and subscriber station
 MAC and PHY as programs, a virtual radio and its channel, the bench, the simulator, and tools for signals and messages.")
set(CPACK_DEBIAN_WIMAX_PACKAGE_DEPENDS "libgnuradio-wimax (= ${PROJECT_VERSION}), python3, ${python_range}, python3-numpy, python3-yaml, python3-zmq, python3-dpkt, python3-prometheus-client, python3-tornado, python3-ruamel.yaml, python3-cryptography, iperf3, iproute2, iputils-ping, procps, supervisor, tcpdump, util-linux, dnsmasq-base")
# The library of Python is loaded for schedulers in Python only.
execute_process(COMMAND ${WIMAX_PYTHON} -c "import sys; print('libpython%d.%d' % sys.version_info[:2])"
                OUTPUT_VARIABLE python_library OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CPACK_DEBIAN_WIMAX_PACKAGE_RECOMMENDS "${python_library}, gr-wimax (= ${PROJECT_VERSION}), python3-scipy, python3-matplotlib, python3-jinja2, bash-completion, man-db, uhd-host, python3-distributed")
set(CPACK_DEBIAN_WIMAX_PACKAGE_SUGGESTS "wireshark")

# Removing a package removes its compiled Python. Removing the programs also stops running units.
set(scripts ${CMAKE_CURRENT_SOURCE_DIR}/cmake/packages)
set(CPACK_DEBIAN_LIBGNURADIO-WIMAX_PACKAGE_CONTROL_EXTRA ${scripts}/triggers)
set(CPACK_DEBIAN_GR-WIMAX_PACKAGE_CONTROL_EXTRA ${scripts}/gr-wimax/postinst;${scripts}/gr-wimax/prerm)
foreach(file IN LISTS daemons_configs)
  string(APPEND conffiles ${WIMAX_CONFIG_DIR}/${file}\n)
endforeach()
file(CONFIGURE OUTPUT ${WIMAX_STAGE}/conffiles CONTENT "@conffiles@" @ONLY)
set(CPACK_DEBIAN_WIMAX_PACKAGE_CONTROL_EXTRA ${scripts}/wimax/postinst;${scripts}/wimax/prerm;${scripts}/wimax/postrm;${WIMAX_STAGE}/conffiles)
include(CPack)
