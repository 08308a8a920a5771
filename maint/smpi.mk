# SPDX-License-Identifier: BSD-3-Clause
#
# smpi.mk - builds the plug-in for SMPI. maint/build-smpi runs it in its build folder:
#   make -f TOP/maint/smpi.mk TOP=TOP VERSION=0.1.0 JSONC=path/to/libjson-c.a [WARNINGS=-Werror]
#
# libanyp.a is a linker script that names libanyp.o. SMPI's mpi.h declares all MPI functions weak,
# and a weak reference takes nothing out of an archive; an object is always linked. libanyp.o
# contains json-c, and exports only MPI's functions and anyp_*.
SMPICC = smpicc
FLAGS = -std=c11 -O2 -fPIC -D_GNU_SOURCE -I$(TOP)/include -I$(TOP)/src \
    -DANYP_DATADIR='"$(TOP)/src/select"' \
    $(shell pkg-config --cflags json-c) \
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion \
    $(WARNINGS)
sources = $(wildcard $(foreach folder,$(1),$(TOP)/src/$(folder)/*.c $(TOP)/src/$(folder)/*/*.c))
CORE = $(patsubst $(TOP)/src/%.c,%.o,$(call sources,schedule algorithms select execute node record))
# smpi.c replaces four; blocking.c is for operations, which AnyP does not serve
# above SMPI
MPI = $(patsubst $(TOP)/src/%.c,%.o,$(filter-out \
    $(foreach file,pmpi device fortran fortran_mpich node_processes blocking,%/$(file).c),\
    $(call sources,mpi settings)))

# anyp-tune: the same objects again, with all their names visible. smpicc also replaces getopt(),
# whose state all ranks would share.
TUNE = $(patsubst $(TOP)/tuning/%.c,tuning/%.o,$(filter-out $(foreach file,anyp_bench steer_mpit,\
    %/$(file).c),$(wildcard $(TOP)/tuning/*/*.c))) \
    $(patsubst $(TOP)/src/%.c,%.o,$(call sources,options tuner))
ANALYSIS = $(patsubst $(TOP)/src/%.c,%.o,$(call sources,analysis))

all: libanyp.a anyp-tune

anyp-tune: $(TUNE) $(ANALYSIS) $(CORE) $(MPI) $(JSONC)
	$(SMPICC) -o $@ $^ -lm -lpthread

libanyp.a: libanyp.o
	echo 'INPUT(libanyp.o)' >$@

libanyp.o: $(CORE) $(MPI) $(JSONC)
	$(LD) -r -o $@.new $^
	objcopy --wildcard --keep-global-symbol='MPI_*' --keep-global-symbol='anyp_*' $@.new
	mv $@.new $@

# The flags are in this file. smpicc would replace malloc, so that ranks could share memory, and
# other functions of C; files that know no MPI are compiled without smpicc.
vpath %.c $(TOP)/src $(TOP)
$(CORE) $(ANALYSIS): COMPILE = $(CC) $(FLAGS)
$(MPI) $(TUNE): COMPILE = $(SMPICC) $(FLAGS) -DSMPI_NO_OVERRIDE_MALLOC -I$(TOP)/tuning \
    -DPACKAGE_VERSION='"$(VERSION)"'
$(CORE) $(ANALYSIS) $(MPI) $(TUNE): %.o: %.c $(TOP)/maint/smpi.mk
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@

# as in src/select/local.mk
$(TOP)/src/select/mpich.def: $(TOP)/src/select/mpich.names $(TOP)/maint/mpich_names.py
	python3 -B $(TOP)/maint/mpich_names.py
select/mpich.o: $(TOP)/src/select/mpich.def

-include $(CORE:.o=.d) $(ANALYSIS:.o=.d) $(MPI:.o=.d) $(TUNE:.o=.d)
