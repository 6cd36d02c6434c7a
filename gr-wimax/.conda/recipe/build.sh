#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Called by conda-build, which sets SRC_DIR, PREFIX, SP_DIR, PYTHON, CPU_COUNT and CMAKE_ARGS.
set -euo pipefail

# shellcheck disable=SC2086  # CMAKE_ARGS is a list of options
cmake -S "$SRC_DIR/gr-wimax" -B "$SRC_DIR/build-conda" -G Ninja ${CMAKE_ARGS:-} \
  -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$PREFIX" \
  -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib \
  -DPYTHON_EXECUTABLE="$PYTHON" \
  -DGR_PYTHON_DIR="$SP_DIR" \
  -DBUILD_TESTING=OFF
cmake --build "$SRC_DIR/build-conda" --parallel "${CPU_COUNT:-1}"
cmake --install "$SRC_DIR/build-conda"
