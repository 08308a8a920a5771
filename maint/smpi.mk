# SPDX-License-Identifier: BSD-3-Clause
#
# smpi.mk - the plug-in for SMPI. maint/build-smpi runs it in its build folder:
#   make -f TOP/maint/smpi.mk TOP=TOP JSONC=path/to/libjson-c.a [WARNINGS=-Werror]
#
# libanyp.a is a linker script that names libanyp.o. SMPI's mpi.h declares all MPI functions weak,
# and nothing is taken out of an archive for the sake of a weak reference; an object is always
# linked. It has json-c inside, and shows only MPI's functions and anyp_*.
SMPICC = smpicc
FLAGS = -std=c11 -O2 -fPIC -D_GNU_SOURCE -I$(TOP)/include -I$(TOP)/src \
    $(shell pkg-config --cflags json-c) \
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(WARNINGS)
sources = $(wildcard $(foreach folder,$(1),$(TOP)/src/$(folder)/*.c))
CORE = $(patsubst $(TOP)/src/%.c,%.o,$(call sources,core algorithms select))
# smpi.c stands for the three
MPI = $(patsubst $(TOP)/src/%.c,%.o,$(filter-out $(foreach file,pmpi device fortran,%/$(file).c),\
    $(call sources,mpi)))

all: libanyp.a

libanyp.a: libanyp.o
	echo 'INPUT(libanyp.o)' >$@

libanyp.o: $(CORE) $(MPI) $(JSONC)
	$(LD) -r -o $@.new $^
	objcopy --wildcard --keep-global-symbol='MPI_*' --keep-global-symbol='anyp_*' $@.new
	mv $@.new $@

# The flags are in this file. smpicc would replace malloc, so that ranks could share memory, and
# other functions of C; what knows no MPI is compiled without it.
vpath %.c $(TOP)/src
$(CORE): COMPILE = $(CC) $(FLAGS)
$(MPI): COMPILE = $(SMPICC) $(FLAGS) -DSMPI_NO_OVERRIDE_MALLOC
$(CORE) $(MPI): %.o: %.c $(TOP)/maint/smpi.mk
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@

-include $(CORE:.o=.d) $(MPI:.o=.d)
