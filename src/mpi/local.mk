# SPDX-License-Identifier: BSD-3-Clause
# The plug-in: the same source compiled by the wrappers of MPICH ($(MPICH_MPICC)), of
# Open MPI ($(OPENMPI_MPICC)), and of any library with the standard ABI ($(ABI_MPICC)).
plugin_sources = \
    src/mpi/agree.c \
    src/mpi/blocking.c \
    src/mpi/channel.c \
    src/mpi/choice.c \
    src/mpi/device.c \
    src/mpi/fortran.c \
    src/mpi/fortran_mpich.c \
    src/mpi/freed_handles.c \
    src/mpi/init.c \
    src/mpi/intercept.c \
    src/mpi/neighbor_setup.c \
    src/mpi/neighbors.c \
    src/mpi/new_operation.c \
    src/mpi/node_processes.c \
    src/mpi/nodes.c \
    src/mpi/operation_threads.c \
    src/mpi/operation_wait.c \
    src/mpi/operations.c \
    src/mpi/pmpi.c \
    src/mpi/recorded_calls.c \
    src/mpi/recorder.c \
    src/mpi/recorder_file.c \
    src/mpi/recorder_kind.c \
    src/mpi/recorder_sites.c \
    src/mpi/shared_file.c \
    src/mpi/local_blocks.c \
    src/mpi/state.c \
    src/mpi/summary.c \
    src/mpi/transport.c \
    src/mpi/types.c \
    src/mpi/wrappers.c \
    src/settings/coordinates.c \
    src/settings/settings.c \
    src/settings/variables.c
plugin_headers = \
    include/anyp_control.h \
    src/mpi/blocking.def \
    src/mpi/channel.h \
    src/mpi/internal.h \
    src/mpi/libanyp.map \
    src/mpi/mpi_messages.h \
    src/mpi/neighbors.def \
    src/mpi/neighbors.h \
    src/mpi/node_processes.h \
    src/mpi/operation.h \
    src/mpi/operations.h \
    src/mpi/pmpi.def \
    src/mpi/pmpi.h \
    src/mpi/recorder.h \
    src/mpi/recorder_table.h \
    src/mpi/transport.h \
    src/mpi/types.h \
    src/settings/coordinates.h \
    src/settings/settings.h \
    src/settings/variables.def \
    src/settings/variables.h
# smpi.c is for maint/build-smpi
EXTRA_DIST += $(plugin_sources) $(plugin_headers) src/mpi/smpi.c
include_HEADERS += include/anyp_control.h

plugin_needs = $(plugin_sources) $(plugin_headers) libanypcore.a
# The plug-in contains a static json-c and hides its names, because the application or its MPI
# library may use another json-c (--with-json-c).
plugin_compile = $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared \
    -Wl,--version-script,$(srcdir)/src/mpi/libanyp.map \
    -Wl,-Bsymbolic-functions -Wl,-z,nodelete $(LDFLAGS)
plugin_link = $(plugin_sources:%=$(srcdir)/%) -Wl,--whole-archive libanypcore.a \
    -Wl,--no-whole-archive $(PLUGIN_JSONC_LIBS) -lm -ldl -pthread $(LIBS)

# Installed as $(libdir)/libanyp-FAMILY.so.1, with a link for -lanyp-FAMILY. The number is that of
# the binary interface: the names in libanyp.map, and include/anyp_control.h.
plugin_families =
plugins =
if HAVE_MPICH
plugin_families += mpich
plugins += plugin/mpich/libanyp-mpich.so.1
pkgconfig_DATA += plugin/mpich/anyp-mpich.pc
endif
if HAVE_OPENMPI
plugin_families += openmpi
plugins += plugin/openmpi/libanyp-openmpi.so.1
pkgconfig_DATA += plugin/openmpi/anyp-openmpi.pc
endif
if HAVE_ABI
plugin_families += abi
plugins += plugin/abi/libanyp-abi.so.1
pkgconfig_DATA += plugin/abi/anyp-abi.pc
endif
noinst_DATA += $(plugins)

# Automake's own rules would give wrappers the flags of $(CC). INSTALL_PROGRAM strips in
# `make install-strip`.
install-exec-local: $(plugins) $(mpi_programs)
	$(MKDIR_P) "$(DESTDIR)$(libdir)" "$(DESTDIR)$(bindir)"
	for family in $(plugin_families); do \
	    $(INSTALL_PROGRAM) -m 644 plugin/$$family/libanyp-$$family.so.1 "$(DESTDIR)$(libdir)" && \
	    ln -sf libanyp-$$family.so.1 "$(DESTDIR)$(libdir)/libanyp-$$family.so" || exit 1; done
	for program in $(mpi_programs); do \
	    $(INSTALL_PROGRAM) $$program "$(DESTDIR)$(bindir)" || exit 1; done

uninstall-local:
	for family in $(plugin_families); do \
	    rm -f "$(DESTDIR)$(libdir)/libanyp-$$family.so" \
	        "$(DESTDIR)$(libdir)/libanyp-$$family.so.1"; done
	for program in $(mpi_programs); do \
	    rm -f "$(DESTDIR)$(bindir)/`basename $$program`"; done

EXTRA_DIST += src/mpi/anyp.pc.in
plugin_pcs = plugin/mpich/anyp-mpich.pc plugin/openmpi/anyp-openmpi.pc plugin/abi/anyp-abi.pc
plugin/mpich/anyp-mpich.pc: title = MPICH
plugin/openmpi/anyp-openmpi.pc: title = Open MPI
plugin/abi/anyp-abi.pc: title = an MPI library
$(plugin_pcs): $(srcdir)/src/mpi/anyp.pc.in Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed -e 's,@includedir[@],$(includedir),' -e 's,@libdir[@],$(libdir),' \
	    -e 's,@version[@],$(VERSION),' -e 's,@family[@],$(@D:plugin/%=%),' \
	    -e 's,@title[@],$(title),' $(srcdir)/src/mpi/anyp.pc.in >$@

# Open MPI's plug-in is linked with its library, because its handles are addresses there. The
# library has the same name everywhere. The others are not: MPICH's functions are looked up later
# (see pmpi.h), and that for the standard ABI works with every library that has it.
plugin/mpich/libanyp-mpich.so.1: mpicc = $(MPICH_MPICC) -Wl,--as-needed
plugin/abi/libanyp-abi.so.1: mpicc = $(ABI_MPICC) -Wl,--as-needed
plugin/openmpi/libanyp-openmpi.so.1: mpicc = $(OPENMPI_MPICC)
plugin/mpich/libanyp-mpich.so.1 plugin/abi/libanyp-abi.so.1 \
plugin/openmpi/libanyp-openmpi.so.1: $(plugin_needs)
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(mpicc) $(plugin_compile) -Wl,-soname,$(@F) -o $@ $(plugin_link)
	@ln -sf $(@F) $(@:.1=)

CLEANFILES += $(plugins) $(plugins:.1=) $(plugin_pcs)
