# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/algorithms/accumulate.c \
    src/algorithms/accumulate.h \
    src/algorithms/algorithms.def \
    src/algorithms/binary.h \
    src/algorithms/binary_blocks.c \
    src/algorithms/binary_places.c \
    src/algorithms/binary_reduce.c \
    src/algorithms/binary_tree.c \
    src/algorithms/binomial.c \
    src/algorithms/butterfly.c \
    src/algorithms/butterfly.h \
    src/algorithms/butterfly_cost.c \
    src/algorithms/butterfly_plan.c \
    src/algorithms/butterfly_prune.c \
    src/algorithms/chain.c \
    src/algorithms/circulant.c \
    src/algorithms/elimination.c \
    src/algorithms/elimination.h \
    src/algorithms/gather_reduce.c \
    src/algorithms/halving.c \
    src/algorithms/halving.h \
    src/algorithms/halving_doubling.c \
    src/algorithms/pairs.h \
    src/algorithms/radix.h \
    src/algorithms/recursive_doubling.c \
    src/algorithms/registry.c \
    src/algorithms/registry.h \
    src/algorithms/ring.c \
    src/algorithms/ring_step.c \
    src/algorithms/ring_step.h \
    src/algorithms/segments.c \
    src/algorithms/segments.h \
    src/algorithms/skips.c \
    src/algorithms/skips.h
