# SPDX-License-Identifier: BSD-3-Clause
# Compiled inside MPICH, where maint/graft puts it.
EXTRA_DIST += \
    src/mpir/anyp_mpir.h \
    src/mpir/choice.c \
    src/mpir/collectives.c \
    src/mpir/comm.c \
    src/mpir/init_messages.c \
    src/mpir/internal.h \
    src/mpir/job.c \
    src/mpir/local_blocks.c \
    src/mpir/node_processes.c \
    src/mpir/nonblocking.c \
    src/mpir/agree.c \
    src/mpir/shared_file.c \
    src/mpir/start.c \
    src/mpir/nonblocking_task.c \
    src/mpir/transport.h \
    src/mpir/verbose.c \
    src/mpir/version.h
