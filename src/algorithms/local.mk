# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/algorithms/accumulate.c \
    src/algorithms/accumulate.h \
    src/algorithms/algorithms.def \
    src/algorithms/bi_greedy.c \
    src/algorithms/binary_blocks.c \
    src/algorithms/binary_tree.c \
    src/algorithms/binomial.c \
    src/algorithms/butterfly.c \
    src/algorithms/butterfly.h \
    src/algorithms/butterfly_plan.c \
    src/algorithms/chain.c \
    src/algorithms/circulant.c \
    src/algorithms/elimination.c \
    src/algorithms/elimination.h \
    src/algorithms/exchange/cost.c \
    src/algorithms/exchange/exchange.c \
    src/algorithms/exchange/member.c \
    src/algorithms/exchange/member.h \
    src/algorithms/exchange/plan.c \
    src/algorithms/exchange/plan.h \
    src/algorithms/exchange/tree.c \
    src/algorithms/exchange/tree.h \
    src/algorithms/fold.c \
    src/algorithms/gather_reduce.c \
    src/algorithms/halved.h \
    src/algorithms/halving_doubling.c \
    src/algorithms/joins.c \
    src/algorithms/joins.h \
    src/algorithms/lists.c \
    src/algorithms/lists.h \
    src/algorithms/multiport.c \
    src/algorithms/pairs.h \
    src/algorithms/plans.c \
    src/algorithms/plans.h \
    src/algorithms/postal.c \
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
    src/algorithms/skips.h \
    src/algorithms/uni_greedy.c \
    src/algorithms/uni_greedy.h

EXTRA_DIST += src/algorithms/exchange/one-port.md
