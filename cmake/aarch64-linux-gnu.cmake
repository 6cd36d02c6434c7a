# SPDX-License-Identifier: GPL-3.0-or-later
# Toolchain file: 64-bit ARM by Debian's cross compiler (package crossbuild-essential-arm64). WIMAX_SYSROOT is a folder with the
# libraries of an arm64 system; tests run in it under qemu-user (package qemu-user-static). tests/systems/check_aarch64.sh uses both.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WIMAX_SYSROOT)
set(CMAKE_SYSROOT ${WIMAX_SYSROOT})
# The emulator's option -L would also look for / and /tmp in the sysroot.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static ${WIMAX_SYSROOT}/lib/ld-linux-aarch64.so.1
  --library-path ${WIMAX_SYSROOT}/lib/aarch64-linux-gnu:${WIMAX_SYSROOT}/usr/lib/aarch64-linux-gnu)

# Libraries and headers are the sysroot's; protoc, Python and pkg-config are the host's.
set(CMAKE_FIND_ROOT_PATH ${WIMAX_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${WIMAX_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${WIMAX_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${WIMAX_SYSROOT}/usr/share/pkgconfig)
