#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes configure and Makefile.in from configure.ac and Makefile.am.
set -e
cd "$(dirname "$0")"
for tool in autoreconf automake pkg-config python3; do
    command -v "$tool" >/dev/null || {
        echo "autogen.sh: $tool is missing; on Debian: maint/packages --install build" >&2
        exit 1
    }
done
mkdir -p confdb
autoreconf -if
echo "autogen.sh: done; next: ./configure && make"
