# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Part of the launcher of a source tree: tests, mutation, packages.

# part TEXT COMMAND... - one part of ./wimax test, with its time. A part that fails is remembered; the others still run.
parts=6 part=0 failed=()
part() {
  local begin=$SECONDS text=$1 how=passed; shift
  part=$((part + 1))
  say "${bold}test: part $part of $parts: $text${plain}"
  "$@" || { how="${red}FAILED${plain}"; failed+=("$text"); }
  say "test: part $part of $parts: $how after $((SECONDS - begin)) s"
}

# ctest of the tests that the filter and the user's options leave; none is no fault of a part.
tests_run=0
run_ctest() {
  local folder=$1 count; shift
  count=$(ctest --test-dir "$folder" -N "$@" | sed -n 's/^Total Tests: *//p')
  if [ "${count:-0}" = 0 ]; then say "test: no test of this part was chosen"; return; fi
  tests_run=$((tests_run + count))
  (exec_as_root ctest --test-dir "$folder" -j "$(nproc)" --output-on-failure --no-tests=error "$@")
}

# Clang for the fuzzers: the newest one that is installed with its libraries.
find_clang() {
  local version
  for version in 19 18 17 16 15 14; do
    if command -v "clang++-$version" >/dev/null; then echo "-$version"; return; fi
  done
}
build_fuzzers() {
  local clang; clang=$(find_clang)
  cmake -S "$top" --preset fuzz -DCMAKE_C_COMPILER="clang$clang" -DCMAKE_CXX_COMPILER="clang++$clang" >"$build/configure-fuzz.log" 2>&1 ||
    { cat "$build/configure-fuzz.log" >&2; return 1; }
  ninja -C "$top/build-fuzz" fuzzers >&2
}
python_environments() { (find_python; campaign_python) && (find_python; cocotb_python) && (find_python; wheel_environment); }

run_tests() {
  local begin=$SECONDS
  fpga=${fpga:-ON}
  part "install packages and build everything" ready tests wimax-macd "${test_groups[*]}"
  environment
  part "Python environments for campaigns, cocotb and the wheel" python_environments
  part "unit, block, vector and FPGA tests" run_ctest "$build" -LE 'stack|fuzz' -E '^fuzz_' "$@"
  part "tests of the whole stack, one at a time" run_ctest "$build" -L stack -E '^fuzz_' "$@"
  part "build the fuzzers with Clang, ASan and UBSan" build_fuzzers
  part "fuzzers of air, socket and file input" run_ctest "$top/build-fuzz" -L fuzz "$@"
  if [ "$tests_run" = 0 ]; then say "test: no test matches: $*"; return 2; fi
  if [ ${#failed[@]} -gt 0 ]; then
    say "${red}test: ${#failed[@]} of $parts parts failed${plain} in $((SECONDS - begin)) s:"
    printf '  %s\n' "${failed[@]}" >&2
    return 1
  fi
  say "test: all $parts parts passed in $((SECONDS - begin)) s, $tests_run tests"
}

# Mutation works in a copy of the source tree, with a build folder there.
run_mutation() {
  local sampler=$top/tests/mutation/mutation.py
  asks_only "$@" || needs "./wimax mutation" "${test_groups[@]}"
  find_python
  cd "$cd_back"
  exec "$python" -B "$sampler" "$@"
}

# Debian has no package of cocotb; later versions refuse Debian 12's Verilator.
cocotb=1.9.2
cocotb_python() {
  local home=$build/cocotb-python
  if ! "$home/bin/python" -c 'import cocotb' 2>/dev/null; then
    say "test: installing cocotb $cocotb into a virtual environment, $home"
    { "$python" -m venv "$home" && "$home/bin/pip" install -q "cocotb==$cocotb" >&2; } ||
      say "test: cocotb could not be installed: tests of FPGA cores that need it will fail"
  fi
}

# Debian packages and their debug symbols, into build-package/.
package() {
  needs "./wimax package" "${build_groups[@]}" package
  local log=$top/build-package/configure.log
  mkdir -p "$top/build-package"
  cmake -S "$top" --preset package >"$log" 2>&1 || { cat "$log" >&2; die "configuration failed; './wimax doctor' reports what is missing"; }
  ninja -C "$top/build-package" package >&2 && ls "$top"/build-package/*.*deb
}
