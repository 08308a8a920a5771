#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests files that cannot be written. On a full disk and in a read-only folder, the old file must
# stay, nothing else may be left there, and the message must contain the reason.
# Run by `make check`; by hand: ANYP=path/to/anyp srcdir=path/to/source test/tools/outputs.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '3,6s/^# \{0,1\}//p' "$0"
    exit 0
fi

here=${srcdir:-.}/test/tools
if [ "${1:-}" != --inside ]; then
    # disks of this test only, which only root can mount, or the root of a user namespace
    for namespace in -m -rm; do
        if unshare $namespace sh -c 'mount -t tmpfs -o size=64k tmpfs /mnt' 2>/dev/null; then
            exec unshare $namespace "$0" --inside
        fi
    done
fi
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$here/../lib.sh"
if [ "${1:-}" != --inside ]; then
    skip 'files that cannot be written' 'unshare may not mount a file system here'
    finish
    exit
fi
anyp=${ANYP:-./anyp}
disk=$work/disk

# kept REASON NAME: anyp cannot write a picture to the file; there is still the old one alone
kept() {
    expect 1 "$anyp" schedule allreduce ring -p 5 --svg "$2"
    err "cannot write $2: $1"
    [ "$(cat "$disk/old")" = old ] || fail 'the old file is lost'
    [ "$(ls -A "$disk")" = "$before" ] || fail "left behind: $(ls -A "$disk")"
}

mkdir "$disk"
mount -t tmpfs -o size=64k tmpfs "$disk" || die "cannot mount $disk"
echo old >"$disk/old"
ln -s old "$disk/link"
ln "$disk/old" "$disk/hard"
cat /dev/zero >"$disk/zeros" 2>/dev/null
before=$(ls -A "$disk")
for name in old link hard new; do
    kept 'No space left on device' "$disk/$name"
done
mount -o remount,ro "$disk" || die "cannot make $disk read only"
for name in old link hard new; do
    kept 'Read-only file system' "$disk/$name"
done
umount "$disk"
finish
