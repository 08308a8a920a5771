# SPDX-License-Identifier: BSD-3-Clause
# In libanypcore.a, but not inside MPICH: the tests and `anyp verify` need it.
libanypcore_a_SOURCES += \
    src/proof/prove.c \
    src/proof/prove.h \
    src/proof/sweep.c \
    src/proof/sweep.h
