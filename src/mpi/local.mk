# SPDX-License-Identifier: BSD-3-Clause
# libanyp.so, the plug-in: the same source compiled by the wrappers of MPICH ($(MPICH_MPICC)) and of
# Open MPI ($(OPENMPI_MPICC)).
plugin_sources = \
    src/mpi/agree.c \
    src/mpi/choice.c \
    src/mpi/collectives.c \
    src/mpi/device.c \
    src/mpi/fortran.c \
    src/mpi/pmpi.c \
    src/mpi/run.c \
    src/mpi/settings.c \
    src/mpi/state.c \
    src/mpi/summary.c \
    src/mpi/take.c \
    src/mpi/types.c \
    src/mpi/variables.c
plugin_headers = \
    include/anyp_control.h \
    src/mpi/internal.h \
    src/mpi/libanyp.map \
    src/mpi/pmpi.def \
    src/mpi/pmpi.h \
    src/mpi/settings.h \
    src/mpi/types.h \
    src/mpi/variables.def \
    src/mpi/variables.h
EXTRA_DIST += $(plugin_sources) $(plugin_headers)
include_HEADERS += include/anyp_control.h

plugin_needs = $(plugin_sources) $(plugin_headers) libanypcore.a
# json-c is part of it, and hidden: the application, or its MPI library, may have another one.
plugin_compile = $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared \
    -Wl,-soname,libanyp.so.0 -Wl,--version-script,$(srcdir)/src/mpi/libanyp.map \
    -Wl,-Bsymbolic-functions $(LDFLAGS)
plugin_link = $(plugin_sources:%=$(srcdir)/%) -Wl,--whole-archive libanypcore.a \
    -Wl,--no-whole-archive $(JSONC_STATIC_LIBS) -lm -ldl -pthread

plugin_targets =
if HAVE_MPICH
plugin_targets += plugin/mpich/libanyp.so.0
endif
if HAVE_OPENMPI
plugin_targets += plugin/openmpi/libanyp.so.0
endif
all-local: $(plugin_targets)

# MPICH's library is not needed, so the linker leaves it out: pmpi.h says why.
plugin/mpich/libanyp.so.0: $(plugin_needs)
	@$(MKDIR_P) plugin/mpich
	$(AM_V_CCLD)$(MPICH_MPICC) $(plugin_compile) -Wl,--as-needed -o $@ $(plugin_link)
	@ln -sf libanyp.so.0 plugin/mpich/libanyp.so

# Open MPI's handles are addresses in its library, which has one name everywhere.
plugin/openmpi/libanyp.so.0: $(plugin_needs)
	@$(MKDIR_P) plugin/openmpi
	$(AM_V_CCLD)$(OPENMPI_MPICC) $(plugin_compile) -o $@ $(plugin_link)
	@ln -sf libanyp.so.0 plugin/openmpi/libanyp.so

CLEANFILES += plugin/mpich/libanyp.so plugin/mpich/libanyp.so.0 \
    plugin/openmpi/libanyp.so plugin/openmpi/libanyp.so.0
