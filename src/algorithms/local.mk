# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/algorithms/algorithms.def \
    src/algorithms/bi_greedy.c \
    src/algorithms/binary_blocks.c \
    src/algorithms/binary_tree.c \
    src/algorithms/binomial.c \
    src/algorithms/butterfly/butterfly.c \
    src/algorithms/butterfly/butterfly.h \
    src/algorithms/butterfly/elimination.c \
    src/algorithms/butterfly/elimination.h \
    src/algorithms/butterfly/fold.c \
    src/algorithms/butterfly/joins.c \
    src/algorithms/butterfly/joins.h \
    src/algorithms/butterfly/plan.c \
    src/algorithms/butterfly/ring_step.c \
    src/algorithms/butterfly/ring_step.h \
    src/algorithms/chain.c \
    src/algorithms/circulant/circulant.c \
    src/algorithms/circulant/skips.c \
    src/algorithms/circulant/skips.h \
    src/algorithms/exchange/cost.c \
    src/algorithms/exchange/cost.h \
    src/algorithms/exchange/exchange.c \
    src/algorithms/exchange/lanes.c \
    src/algorithms/exchange/lanes.h \
    src/algorithms/exchange/segments.c \
    src/algorithms/exchange/segments.h \
    src/algorithms/exchange/member.c \
    src/algorithms/exchange/member.h \
    src/algorithms/exchange/plan.c \
    src/algorithms/exchange/plan.h \
    src/algorithms/exchange/tree.c \
    src/algorithms/exchange/tree.h \
    src/algorithms/gather_reduce.c \
    src/algorithms/halving_doubling.c \
    src/algorithms/multiport.c \
    src/algorithms/postal.c \
    src/algorithms/recursive_doubling.c \
    src/algorithms/registry.c \
    src/algorithms/registry.h \
    src/algorithms/ring.c \
    src/algorithms/shared/accumulate.c \
    src/algorithms/shared/accumulate.h \
    src/algorithms/shared/bytes.h \
    src/algorithms/shared/halved.h \
    src/algorithms/shared/lists.c \
    src/algorithms/shared/lists.h \
    src/algorithms/shared/pairs.h \
    src/algorithms/shared/plans.c \
    src/algorithms/shared/plans.h \
    src/algorithms/shared/radix.h \
    src/algorithms/shared/segments.c \
    src/algorithms/shared/segments.h \
    src/algorithms/uni_greedy.c \
    src/algorithms/uni_greedy.h

EXTRA_DIST += src/algorithms/exchange/one-port.md
