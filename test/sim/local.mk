# SPDX-License-Identifier: BSD-3-Clause
# The plug-in under SimGrid's SMPI: maint/build-smpi, then test/sim/run, or test/sim/bench.
EXTRA_DIST += test/sim/bench-pairs.sh test/sim/bench_runs.py test/sim/bench_taken.py \
    test/sim/check.c \
    test/sim/dragonfly.xml test/sim/fat-tree.xml test/sim/flat.xml test/sim/meet.h \
    test/sim/nodes.xml test/sim/pair_peers.c test/sim/pairs.c test/sim/pairs.h test/sim/program.c \
    test/sim/scan_peers.c test/sim/time.c test/sim/tree.xml test/sim/tune_keep.py
dist_noinst_SCRIPTS += test/sim/bench test/sim/bench-test test/sim/eager-test test/sim/launch \
    test/sim/record-test test/sim/run test/sim/tune test/sim/tune-test
