# SPDX-License-Identifier: BSD-3-Clause
# libanyp.so, the plug-in: the same source compiled by the wrappers of MPICH ($(MPICH_MPICC)), of
# Open MPI ($(OPENMPI_MPICC)), and of any library with the standard ABI ($(ABI_MPICC)).
plugin_sources = \
    src/mpi/agree.c \
    src/mpi/channel.c \
    src/mpi/choice.c \
    src/mpi/device.c \
    src/mpi/fortran.c \
    src/mpi/init.c \
    src/mpi/intercept.c \
    src/mpi/nodes.c \
    src/mpi/pmpi.c \
    src/mpi/recorded_calls.c \
    src/mpi/recorder.c \
    src/mpi/recorder_file.c \
    src/mpi/recorder_kind.c \
    src/mpi/recorder_requests.c \
    src/mpi/shared_file.c \
    src/mpi/sides.c \
    src/mpi/state.c \
    src/mpi/summary.c \
    src/mpi/ticks.c \
    src/mpi/transport.c \
    src/mpi/types.c \
    src/mpi/wrappers.c \
    src/settings/coordinates.c \
    src/settings/settings.c \
    src/settings/variables.c
plugin_headers = \
    include/anyp_control.h \
    src/mpi/channel.h \
    src/mpi/internal.h \
    src/mpi/libanyp.map \
    src/mpi/neighbors.def \
    src/mpi/pmpi.def \
    src/mpi/pmpi.h \
    src/mpi/recorder.h \
    src/mpi/recorder_table.h \
    src/mpi/types.h \
    src/settings/coordinates.h \
    src/settings/settings.h \
    src/settings/variables.def \
    src/settings/variables.h
# smpi.c is for maint/build-smpi
EXTRA_DIST += $(plugin_sources) $(plugin_headers) src/mpi/smpi.c
include_HEADERS += include/anyp_control.h

plugin_needs = $(plugin_sources) $(plugin_headers) libanypcore.a
# json-c is part of it, and hidden: the application, or its MPI library, may have another one.
plugin_compile = $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared \
    -Wl,-soname,libanyp.so.0 -Wl,--version-script,$(srcdir)/src/mpi/libanyp.map \
    -Wl,-Bsymbolic-functions -Wl,-z,nodelete $(LDFLAGS)
plugin_link = $(plugin_sources:%=$(srcdir)/%) -Wl,--whole-archive libanypcore.a \
    -Wl,--no-whole-archive $(JSONC_STATIC_LIBS) -lm -ldl -pthread

# Installed as $(libdir)/anyp/FAMILY/libanyp.so.0, with a link for -lanyp.
mpichexecdir = $(pkglibdir)/mpich
openmpiexecdir = $(pkglibdir)/openmpi
abiexecdir = $(pkglibdir)/abi
mpichexec_SCRIPTS =
openmpiexec_SCRIPTS =
abiexec_SCRIPTS =
plugin_folders =
plugin_families =
if HAVE_MPICH
mpichexec_SCRIPTS += plugin/mpich/libanyp.so.0
pkgconfig_DATA += plugin/mpich/anyp-mpich.pc
plugin_folders += "$(mpichexecdir)"
plugin_families += mpich
endif
if HAVE_OPENMPI
openmpiexec_SCRIPTS += plugin/openmpi/libanyp.so.0
pkgconfig_DATA += plugin/openmpi/anyp-openmpi.pc
plugin_folders += "$(openmpiexecdir)"
plugin_families += openmpi
endif
if HAVE_ABI
abiexec_SCRIPTS += plugin/abi/libanyp.so.0
pkgconfig_DATA += plugin/abi/anyp-abi.pc
plugin_folders += "$(abiexecdir)"
plugin_families += abi
endif

install-exec-hook:
	for folder in $(plugin_folders); do \
	    ln -sf libanyp.so.0 "$(DESTDIR)$$folder/libanyp.so" || exit 1; done

uninstall-hook:
	for folder in $(plugin_folders); do \
	    rm -f "$(DESTDIR)$$folder/libanyp.so"; \
	    rmdir "$(DESTDIR)$$folder" "$(DESTDIR)$(pkglibdir)" 2>/dev/null; done; true

EXTRA_DIST += src/mpi/anyp.pc.in
plugin_pc = sed -e 's,@includedir[@],$(includedir),' -e 's,@pkglibdir[@],$(pkglibdir),' \
    -e 's,@version[@],$(VERSION),' $(srcdir)/src/mpi/anyp.pc.in

plugin/mpich/anyp-mpich.pc: $(srcdir)/src/mpi/anyp.pc.in Makefile
	@$(MKDIR_P) plugin/mpich
	$(AM_V_GEN)$(plugin_pc) | sed -e 's,@family[@],mpich,' -e 's,@title[@],MPICH,' >$@

plugin/openmpi/anyp-openmpi.pc: $(srcdir)/src/mpi/anyp.pc.in Makefile
	@$(MKDIR_P) plugin/openmpi
	$(AM_V_GEN)$(plugin_pc) | sed -e 's,@family[@],openmpi,' -e 's,@title[@],Open MPI,' >$@

plugin/abi/anyp-abi.pc: $(srcdir)/src/mpi/anyp.pc.in Makefile
	@$(MKDIR_P) plugin/abi
	$(AM_V_GEN)$(plugin_pc) | sed -e 's,@family[@],abi,' -e 's,@title[@],an MPI library,' >$@

# MPICH's library is not needed, so the linker leaves it out: pmpi.h says why.
plugin/mpich/libanyp.so.0: $(plugin_needs)
	@$(MKDIR_P) plugin/mpich
	$(AM_V_CCLD)$(MPICH_MPICC) $(plugin_compile) -Wl,--as-needed -o $@ $(plugin_link)
	@ln -sf libanyp.so.0 plugin/mpich/libanyp.so

# It is for each library that has the ABI, so it asks for none.
plugin/abi/libanyp.so.0: $(plugin_needs)
	@$(MKDIR_P) plugin/abi
	$(AM_V_CCLD)$(ABI_MPICC) $(plugin_compile) -Wl,--as-needed -o $@ $(plugin_link)
	@ln -sf libanyp.so.0 plugin/abi/libanyp.so

# Open MPI's handles are addresses in its library, which has one name everywhere.
plugin/openmpi/libanyp.so.0: $(plugin_needs)
	@$(MKDIR_P) plugin/openmpi
	$(AM_V_CCLD)$(OPENMPI_MPICC) $(plugin_compile) -o $@ $(plugin_link)
	@ln -sf libanyp.so.0 plugin/openmpi/libanyp.so

CLEANFILES += plugin/mpich/libanyp.so plugin/mpich/libanyp.so.0 plugin/mpich/anyp-mpich.pc \
    plugin/openmpi/libanyp.so plugin/openmpi/libanyp.so.0 plugin/openmpi/anyp-openmpi.pc \
    plugin/abi/libanyp.so plugin/abi/libanyp.so.0 plugin/abi/anyp-abi.pc
