# SPDX-License-Identifier: BSD-3-Clause
# Programs for the maintainers of MPI libraries; test/library-faults/run compiles them itself.
dist_noinst_SCRIPTS += test/library-faults/run
EXTRA_DIST += test/library-faults/README.md test/library-faults/fault.h \
    test/library-faults/alltoallw-alone.c test/library-faults/allgatherv-alone.c \
    test/library-faults/allgatherv-types.c \
    test/library-faults/alltoall-alone.c test/library-faults/circ-graph.c \
    test/library-faults/communicators-end.c test/library-faults/freed-while-pending.c \
    test/library-faults/group-any-tag.c test/library-faults/ibcast-groups.c \
    test/library-faults/large-gather.c test/library-faults/minimum-of-zeros.c \
    test/library-faults/noncommutative-gaps.c test/library-faults/pairwise-in-place.c \
    test/library-faults/persistent-root.c test/library-faults/persistent-type.c \
    test/library-faults/ring-allreduce.c test/library-faults/saturated-sum.c \
    test/library-faults/selection-alltoall.c test/library-faults/selection-elements.c \
    test/library-faults/selection-in-place.c test/library-faults/selection-ppn.c \
    test/library-faults/session-reduce-local.c test/library-faults/sessions-again.c \
    test/library-faults/tree-lower-bound.c test/library-faults/truncated-receive.c
