#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the files of a release in a new folder: source tarball, packages in a folder named by this system, SHA256SUMS. Publishes nothing.
#   cmake/release.sh [--snapshot] [FOLDER]
#     --snapshot  a trial: accepts a version that CHANGELOG.md does not have yet, and names the tarball by the commit
#     FOLDER      default: build-release/wimax-VERSION
# Refuses a tree with changes that are not committed, a VERSION that differs from CITATION.cff or has no section in CHANGELOG.md, and
# entries that are still "Unreleased". Exit status: 0 success, 1 refused or failed, 2 wrong options.
set -euo pipefail
cd "$(dirname "$0")/.."

snapshot='' folder=''
while [ $# -gt 0 ]; do
  case $1 in
    --snapshot) snapshot=yes; shift ;;
    -h|--help) sed -n '3,/^set/{/^set/!s/^# \{0,1\}//p}' cmake/release.sh; exit ;;
    -*) echo "release: unknown option '$1'; --help" >&2; exit 2 ;;
    *) [ ! "$folder" ] || { echo "release: '$1' is not expected; --help" >&2; exit 2; }; folder=$1; shift ;;
  esac
done
refuse() { echo "release: $*" >&2; exit 1; }

version=$(<VERSION)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "VERSION: '$version' is not of the form 1.2.3"
changes=$(git status --porcelain)
[ -z "$changes" ] || refuse "the tree has changes that are not committed:"$'\n'"$changes"
cited=$(sed -n 's/^version: *//p' CITATION.cff)
[ "$cited" = "$version" ] || refuse "CITATION.cff has version '$cited', VERSION has '$version'"
name=wimax-$version
if [ "$snapshot" ]; then
  name+=-g$(git rev-parse --short HEAD)
else
  newest=$(grep -m 1 '^## ' CHANGELOG.md) || true
  [[ $newest =~ ^"## $version - "[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
    refuse "the first section of CHANGELOG.md is '$newest'; it must be '## $version - $(date -u +%Y-%m-%d)'. For a trial: --snapshot"
fi
folder=${folder:-build-release/$name}
[ ! -e "$folder" ] || refuse "$folder exists; remove it or name another folder"

# Packages of different systems have equal names.
# The file is shell text by its definition.
# shellcheck disable=SC1091
system=$(. /etc/os-release && echo "$ID-${VERSION_ID:-}")
mkdir -p "$folder/$system"
git archive --format=tar.gz --prefix="$name/" --output="$folder/$name.tar.gz" HEAD
rm -f build-package/*.deb build-package/*.ddeb  # of earlier versions
./wimax package >/dev/null
cp build-package/*.deb build-package/*.ddeb "$folder/$system"
(cd "$folder" && sha256sum -- *.tar.gz "$system"/* >SHA256SUMS)
echo "release: $name in $folder:"
cat "$folder/SHA256SUMS"
