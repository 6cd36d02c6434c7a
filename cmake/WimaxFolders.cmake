# SPDX-License-Identifier: GPL-3.0-or-later
# Where things are installed, below the prefix; included before the components.
set(WIMAX_SHARE ${CMAKE_INSTALL_DATADIR}/wimax)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME wimax)

if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")  # as Debian's packages have it: UHD, Python and the loader look there by default
  set(WIMAX_CONFIG_DIR /etc/wimax)
  set(WIMAX_UHD_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/uhd/modules)
  set(GR_PYTHON_DIR lib/python3/dist-packages)
else()  # programs find the library below any prefix, also one that is moved; UHD loads all files of the folder it is pointed to
  set(WIMAX_CONFIG_DIR ${CMAKE_INSTALL_SYSCONFDIR}/wimax)
  set(WIMAX_UHD_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/wimax/uhd-modules)
  file(RELATIVE_PATH to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set(CMAKE_INSTALL_RPATH $ORIGIN/${to_library})
endif()
