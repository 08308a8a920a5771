# SPDX-License-Identifier: BSD-3-Clause
"""graft_places.py - THE TABLE: where AnyP's lines are inserted in an MPICH source tree, per
version.

This file contains all that maint/graft knows about MPICH's text; src/mpir/version.h contains what
src/mpir knows about MPICH's functions. A new version is a new entry of VERSIONS. An anchor is a
regular expression (multi-line). It must be found exactly once in its file; with `within`, exactly
once in a part of the file. The part begins after `within`, and ends where the next line begins with
a closing brace or a new Python function. The texts are made by graft_texts.py.
"""
import collections
import re

import algorithms as algorithms_def
import mpich_names

# file: path in the tree. text: a name in graft_texts, of lines or of a function that makes them.
# where: "before" or "after" the anchor. argument: a collective, the function's second argument, or
# None.
Insertion = collections.namedtuple("Insertion", "file where anchor text within argument",
                                   defaults=(None, None))

# old: regular expression, found exactly `times` times; `new` replaces it, as in re.sub().
Replacement = collections.namedtuple("Replacement", "file old new times")

# Releases from `first` up to `end`, without `end`.
Version = collections.namedtuple("Version", "first end insertions replacements")

BLOCKING = tuple(algorithms_def.SHAPE)
# Persistent requests are made from these.
NONBLOCKING = tuple("i" + name for name in BLOCKING)
COLLECTIVES = BLOCKING + NONBLOCKING

# Where the tree tells its version.
VERSION_FILE = "maint/version.m4"
VERSION_LINE = re.compile(r"^m4_define\(\[MPICH_VERSION_m4\],\[([0-9a-z.]+)\]\)", re.MULTILINE)

COLL = "src/mpi/coll/"
VARIABLES = COLL + "cvars.txt"

# A git checkout lacks these.
RELEASE_FILES = ("configure", "Makefile.in", "maint/extractcvars",
                 "maint/extracterrmsgs", COLL + "mpir_coll.c")

INCLUDE = "include_mpir"


def for_each_collective():
    """Returns the insertions that are needed once per collective."""
    found = []
    for name in COLLECTIVES:
        # before MPICH's: its generator calls blocking ones after an "allcomm" by that word
        found.append(Insertion(COLL + "coll_algorithms.txt", "after", r"^%s-intra:\n" % name,
                               "algorithm_rows", argument=name))
        # the variable's description ends with the empty line before the next variable
        found.append(Insertion(
            VARIABLES, "after",
            r"^    - name        : MPIR_CVAR_%s_INTRA_ALGORITHM\n(?:(?!    - name|\n).*\n)+"
            % name.upper(), "variable_values", argument=name))
    return found


def parameters(own):
    """Returns the insertions for the parameters in MPICH's selection: inside MPICH's own struct for
    the collectives `own`, in a new struct for the others."""
    header = COLL + "include/csel_container.h"
    rest = [name for name in COLLECTIVES if name not in own]
    # a union in which MPICH has none of `rest`
    union = r"^    union \{\n(?=(?:(?!        \} (?:%s);$).*\n)*?    \} u;$)" % "|".join(rest)
    return [Insertion(header, "before", r"^        \} %s;$" % name, "container_fields",
                      argument=name) for name in own] + [
            Insertion(header, "before", r"^    \} u;$", "container_members", within=union,
                      argument=rest)]


INSERTIONS = for_each_collective() + [
    Insertion(COLL + "Makefile.mk", "after",
              r"^include \$\(top_srcdir\)/src/mpi/coll/src/Makefile\.mk\n", "include_makefile"),

    Insertion(COLL + "include/csel_container.h", "before",
              r"^    MPII_CSEL_CONTAINER_TYPE__ALGORITHM__Algorithm_count,$", "container_ids"),
    Insertion(COLL + "include/csel_container.h", "after", r"^    MPII_Csel_container_type_e id;\n",
              "container_rule"),
    Insertion(COLL + "src/csel_container.c", "after", r'^#include "mpl\.h"\n', INCLUDE),
    Insertion(COLL + "src/csel_container.c", "before",
              r"^        default:\n            /\* Algorithm does not have parameters \*/$",
              "container_cases", within=r"^static void parse_container_params\("),
    Insertion(COLL + "src/csel_container.c", "before",
              r'^        else \{\n            fprintf\(stderr, "unrecognized key',
              "container_names", within=r"^void \*MPII_Create_container\("),

    *[Insertion(COLL + "src/csel.c", "before", r"^        case MPIR_CSEL_COLL_TYPE__ALLREDUCE:$",
                "like_allreduce", within=r"^static inline \w+ %s\(" % function)
      for function in mpich_names.OF_ALLREDUCE],

    # A bug of MPICH: it measures an alltoall by its send arguments, which MPI ignores with
    # MPI_IN_PLACE, so that a condition on sizes could hold on some ranks only.
    Insertion(COLL + "src/csel.c", "after", r"^    MPI_Aint msgsize = 0;\n", "alltoall_in_place",
              within=r"^static inline MPI_Aint get_avg_msgsize\("),
    Insertion(COLL + "src/csel.c", "after",
              r"^    int comm_size = coll_info\.comm_ptr->local_size;\n", "alltoall_in_place",
              within=r"^static inline MPI_Aint get_total_msgsize\("),

    Insertion(COLL + "src/coll_impl.c", "after", r'^#include "coll_impl\.h"\n', INCLUDE),
    Insertion(COLL + "src/coll_impl.c", "before",
              r'^    if \(!strcmp\(MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, ""\)\) \{$',
              "select_init", within=r"^int MPII_Coll_init\("),
    Insertion(COLL + "src/coll_impl.c", "after",
              r"^    mpi_errno = MPIR_Csel_free\(MPIR_Csel_root\);\n"
              r"    MPIR_ERR_CHECK\(mpi_errno\);\n",
              "finalize", within=r"^int MPII_Coll_finalize\("),
    Insertion(COLL + "src/coll_impl.c", "after",
              r"^    mpi_errno = MPIR_Csel_prune\(MPIR_Csel_root, comm, &comm->csel_comm\);\n"
              r"    MPIR_ERR_CHECK\(mpi_errno\);\n",
              "comm_made", within=r"^int MPIR_Coll_comm_init\("),
    Insertion(COLL + "src/coll_impl.c", "before",
              r"^    mpi_errno = MPIR_Csel_free\(comm->csel_comm\);$",
              "comm_free", within=r"^int MPII_Coll_comm_cleanup\("),
    Insertion("src/include/mpir_comm.h", "before", r"^    \} coll;$", "comm_member"),
    # AnyP's first call on a communicator makes the rest
    Insertion("src/mpi/comm/commutil.c", "after", r"^    comm_p->attributes = NULL;\n",
              "comm_clear", within=r"^int MPII_Comm_init\("),

    Insertion("src/mpi/init/mpir_init.c", "after", r'^#include "mpi_init\.h"\n', INCLUDE),
    # a spawned world reduces in MPID_InitCompleted, so it is compared before that
    Insertion("src/mpi/init/mpir_init.c", "before",
              r"^    if \(is_world_model\) \{\n(?:        .*\n|\n)*?"
              r"        mpi_errno = MPID_InitCompleted\(\);$",
              "init_report", within=r"^int MPII_Init_thread\("),

    Insertion("maint/gen_coll.py", "after",
              r'^    G\.out\.append\("#include \\"iallgatherv/iallgatherv\.h\\""\)\n',
              "gen_include"),
    Insertion("maint/gen_coll.py", "after", r'^    G\.out\.append\("MPIR_Assert\(cnt\);"\)\n',
              "gen_log", within=r"^def dump_allcomm_auto_blocking\("),
    Insertion("maint/gen_coll.py", "before", r"^    def dump_algo\(algo, commkind\):$",
              "gen_forced_function", within=r"^def dump_mpir_impl_blocking\("),
    Insertion("maint/gen_coll.py", "before", r"^        algo_name = get_algo_name\(algo\)$",
              "gen_forced", within=r"^def dump_mpir_impl_blocking\("),
    Insertion("maint/gen_coll.py", "after",
              r'^        G\.out\.append\("case %s_nb:" % CVAR_PREFIX\)\n',
              "gen_forced_nb", within=r"^def dump_mpir_impl_blocking\("),
    Insertion("maint/gen_coll.py", "after", r'^    G\.out\.append\("MPIR_Assert\(cnt\);"\)\n',
              "gen_log_nonblocking", within=r"^def dump_allcomm_sched_auto\("),
    Insertion("maint/gen_coll.py", "before", r"^    def dump_algo_tsp\(algo, commkind\):$",
              "gen_forced_function_nonblocking", within=r"^def dump_sched_impl\("),
    Insertion("maint/gen_coll.py", "before",
              r"^                if algo\['name'\]\.startswith\('tsp_'\):$",
              "gen_forced_nonblocking", within=r"^def dump_sched_impl\("),
]

# Bugs of MPICH, each of which can be mended alone.
REPLACEMENTS = [
    # The total size of gather, scatter and ireduce_scatter_block is in elements, not in bytes: the
    # size of the type is computed, then overwritten.
    Replacement(COLL + "src/csel.c",
                r"\btotal_bytes =(\s+coll_info\.u\.(?:i?gather|i?scatter|ireduce_scatter_block)\.)",
                r"total_bytes *=\1", 13),
    # The root of gather and scatter is measured by arguments that MPI ignores with MPI_IN_PLACE,
    # so that a condition on sizes could hold on some ranks only.
    Replacement(COLL + "src/csel.c",
                r"if \((coll_info\.u\.i?(?:gather|scatter)\.root) == MPI_ROOT\) \{",
                r"if (\1 == MPI_ROOT ||\n"
                r"                (coll_info.comm_ptr->comm_kind != MPIR_COMM_KIND__INTERCOMM &&\n"
                r"                 \1 == coll_info.comm_ptr->rank)) {", 4),
    # comm_avg_ppn<=N multiplies N and the number of nodes as ints: with a large N it does not hold.
    Replacement(COLL + "src/csel.c",
                r"local_size <= (node->u\.comm_avg_ppn_le\.val \* )",
                r"local_size <= (MPI_Aint) \1", 2),
]

REPLACEMENTS_4_0 = REPLACEMENTS + [
    # A bug of MPICH before 4.1: a count is cut to an int, so that count<=16 could hold for a vector
    # of 2^31 elements.
    Replacement(COLL + "src/csel.c", r"\nstatic inline int get_count\(",
                r"\nstatic inline MPI_Aint get_count(", 1),
    # The packager's absolute paths: the scripts are run from the tree's top.
    Replacement("maint/extractcvars", r"'/[^'\n]*/maint(/local_perl/lib|/\.\./)", r"'maint\1", 4),
    Replacement("maint/cvardirs", r"(^| )/[^ \n]*/maint/\.\./src/", r"\1maint/../src/", 8),
]

# The nonblocking ones whose own algorithms have parameters.
WITH_PARAMETERS = tuple(name for name in NONBLOCKING
                        if name not in ("iscan", "iexscan", "igatherv", "iscatterv"))
INSERTIONS_4_0 = INSERTIONS + parameters(WITH_PARAMETERS)
INSERTIONS_4_1 = INSERTIONS + parameters(("allreduce", "barrier", "bcast", "allgather",
                                          "alltoall") + WITH_PARAMETERS)
# 5.0 asks where the selection came from.
INSERTIONS_5_0 = [one._replace(argument="source") if one.text == "select_init" else one
                  for one in INSERTIONS_4_1]

VERSIONS = (
    Version((4, 0), (4, 1), INSERTIONS_4_0, REPLACEMENTS_4_0),
    Version((4, 1), (5, 0), INSERTIONS_4_1, REPLACEMENTS),
    Version((5, 0), (5, 2), INSERTIONS_5_0, REPLACEMENTS),
)


def find_version(text):
    """The entry for a version like '4.0.2', or None."""
    numbers = tuple(int(number) for number in re.findall(r"[0-9]+", text)[:3])
    return next((one for one in VERSIONS if one.first <= numbers < one.end), None)


def known_versions():
    """For messages: '4.0 to 5.1'."""
    first, end = VERSIONS[0].first, VERSIONS[-1].end
    return "%d.%d to %d.%d" % (first + (end[0], end[1] - 1))
