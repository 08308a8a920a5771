# SPDX-License-Identifier: BSD-3-Clause
# anyp: the command-line tool, without MPI. Everything except its main() is a library, which the
# generator of the manual pages also needs.
noinst_LIBRARIES += libanyptool.a
libanyptool_a_SOURCES = \
    src/settings/settings.c \
    src/settings/variables.c \
    src/tools/call_sets.c \
    src/tools/described_calls.c \
    src/tools/described_calls.h \
    src/tools/command_check.c \
    src/tools/command_cost.c \
    src/tools/command_cost_best.c \
    src/tools/command_cost_calls.c \
    src/tools/command_cost_local.c \
    src/tools/command_list.c \
    src/tools/command_report.c \
    src/tools/command_run.c \
    src/tools/command_schedule.c \
    src/tools/command_select.c \
    src/tools/command_verify.c \
    src/tools/command_verify_sample.c \
    src/tools/commands.c \
    src/tools/draw_svg.c \
    src/tools/draw_svg.h \
    src/tools/mpi_library.c \
    src/tools/mpi_library.h \
    src/tools/tool_options.c \
    src/tools/tool_options.def \
    src/tools/picture_file.c \
    src/tools/plugin_settings.c \
    src/tools/plugin_settings.h \
    src/tools/source_lines.c \
    src/tools/source_lines.h \
    src/tools/tool.c \
    src/tools/tool.h
libanyptool_a_CPPFLAGS = $(AM_CPPFLAGS) -DANYP_BINDIR='"$(bindir)"' \
    -DANYP_LIBDIR='"$(libdir)"'

bin_PROGRAMS += anyp
anyp_SOURCES = src/tools/anyp.c
anyp_LDADD = libanyptool.a libanypreport.a libanyptune.a libanypanalysis.a libanypcore.a \
    $(JSONC_LIBS) -lm -ldl -lpthread

# For programs and administrators: headers and folders for pkg-config (the libraries are in
# src/mpi/anyp.pc.in), and a modulefile.
EXTRA_DIST += src/tools/anyp.pc.in src/tools/modulefile.in
installed_names = sed -e 's,@bindir[@],$(bindir),' -e 's,@includedir[@],$(includedir),' \
    -e 's,@mandir[@],$(mandir),' -e 's,@pkgconfigdir[@],$(pkgconfigdir),' \
    -e 's,@pkgdatadir[@],$(pkgdatadir),' -e 's,@version[@],$(VERSION),' \
    -e "s,@families[@],`echo $(plugin_families)`,"
pkgconfig_DATA += anyp.pc
anyp.pc: $(srcdir)/src/tools/anyp.pc.in Makefile
	$(AM_V_GEN)$(installed_names) $(srcdir)/src/tools/anyp.pc.in >$@

modulefiledir = $(pkgdatadir)/modulefiles/anyp
modulefile_DATA = modulefiles/anyp/$(VERSION)
modulefiles/anyp/$(VERSION): $(srcdir)/src/tools/modulefile.in Makefile
	@$(MKDIR_P) modulefiles/anyp
	$(AM_V_GEN)$(installed_names) $(srcdir)/src/tools/modulefile.in >$@
CLEANFILES += anyp.pc modulefiles/anyp/$(VERSION)
