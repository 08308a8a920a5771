# SPDX-License-Identifier: BSD-3-Clause
# Programs for libFuzzer; only with `configure --enable-fuzz CC=clang`.
#   make fuzz [FUZZ_SECONDS=60]     seconds for each program; the processors share the programs
FUZZ_SECONDS = 60
fuzz_flags = $(AM_CPPFLAGS) -I$(top_srcdir)/test \
    -DFUZZ_SOURCE='"$(abs_top_srcdir)"'
fuzz_link = $(AM_CFLAGS) -fsanitize=fuzzer
fuzz_libraries = libanypanalysis.a libanypcore.a $(JSONC_LIBS) -lm
test_fuzz_decision_SOURCES = test/fuzz/decision.c test/fuzz/fuzz.h
test_fuzz_decision_CPPFLAGS = $(fuzz_flags)
test_fuzz_decision_LDFLAGS = $(fuzz_link)
test_fuzz_decision_LDADD = $(fuzz_libraries)
test_fuzz_times_SOURCES = test/fuzz/times.c test/fuzz/fuzz.h
test_fuzz_times_CPPFLAGS = $(fuzz_flags)
test_fuzz_times_LDFLAGS = $(fuzz_link)
test_fuzz_times_LDADD = libanyptune.a $(fuzz_libraries)
test_fuzz_record_SOURCES = test/fuzz/record.c test/fuzz/fuzz.h
test_fuzz_record_CPPFLAGS = $(fuzz_flags)
test_fuzz_record_LDFLAGS = $(fuzz_link)
test_fuzz_record_LDADD = libanypreport.a libanyptune.a $(fuzz_libraries)
test_fuzz_command_SOURCES = test/fuzz/command.c test/fuzz/fuzz.h
test_fuzz_command_CPPFLAGS = $(fuzz_flags)
test_fuzz_command_LDFLAGS = $(fuzz_link)
test_fuzz_command_LDADD = libanyptool.a libanypreport.a libanyptune.a \
    $(fuzz_libraries) -ldl -lpthread
test_fuzz_schedule_SOURCES = test/fuzz/schedule.c test/fuzz/fuzz.h test/unit/world.c \
    test/unit/world.h
test_fuzz_schedule_CPPFLAGS = $(fuzz_flags)
test_fuzz_schedule_LDFLAGS = $(fuzz_link)
test_fuzz_schedule_LDADD = $(fuzz_libraries)
fuzz_programs = test/fuzz/decision test/fuzz/times test/fuzz/record test/fuzz/command \
    test/fuzz/schedule
EXTRA_PROGRAMS += $(fuzz_programs)
CLEANFILES += $(fuzz_programs)
EXTRA_DIST += test/fuzz/corpus.txt
dist_noinst_SCRIPTS += test/fuzz/run

if FUZZ
fuzz-programs: $(fuzz_programs)
fuzz: fuzz-programs
	$(srcdir)/test/fuzz/run --build . --seconds $(FUZZ_SECONDS)
else
fuzz-programs fuzz:
	@echo "make fuzz needs configure --enable-fuzz CC=clang" >&2; exit 1
endif
.PHONY: fuzz fuzz-programs
