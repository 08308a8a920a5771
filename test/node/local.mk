# SPDX-License-Identifier: BSD-3-Clause
# Random collectives over the lanes of a node: with the usual outbox, and with one that is always
# full.
check_PROGRAMS += test/node/stress test/node/stress_full
TESTS += test/node/stress test/node/stress_full
node_stress_sources = test/node/delay.h test/node/stress.c test/node/stress_transport.h \
    src/node/lanes.c src/node/outbox.c src/node/waiter.c
node_stress_flags = $(AM_CPPFLAGS) -include $(srcdir)/test/node/delay.h

test_node_stress_SOURCES = $(node_stress_sources)
test_node_stress_CPPFLAGS = $(node_stress_flags)
test_node_stress_LDADD = libanypcore.a -lm -lpthread

test_node_stress_full_SOURCES = $(node_stress_sources)
test_node_stress_full_CPPFLAGS = $(node_stress_flags) -DANYPI_OUTBOX_SIZE=4096
test_node_stress_full_LDADD = libanypcore.a -lm -lpthread
