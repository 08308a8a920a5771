# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/select/decision.h \
    src/select/jsonc.h
