# SPDX-License-Identifier: BSD-3-Clause
"""skeleton.py - writes a tree that the graft accepts as a release of MPICH.

All of its text is written here; of MPICH's own text it has only the lines that anchors and
mpich_names.py match. Its generators work: they write files from what they read, as MPICH's do. The
tools that they and the graft call (perl, autoreconf, ...) are replaced by TOOLS.
"""
import os
import re
from string import ascii_lowercase

from graft_table import COLLECTIVES, NONBLOCKING

# One for each collective.
KINDS = ascii_lowercase[:len(COLLECTIVES)]

# Fake tools, by name: what maint/graft and the generators run.
_MAKEFILE = """
    { grep -v '^anyp' Makefile.am; find src/mpi/coll -name Makefile.mk | LC_ALL=C sort | xargs cat
    } >Makefile.in"""
TOOLS = {
    "perl": 'exec python3 -B "$@"',
    "m4": "exit 1",
    "autoconf": "exit 1",
    "aclocal": "exit 1",
    "libtoolize": "exit 1",
    "automake": "set -e" + _MAKEFILE,
    # the real one leaves a cache and backups behind
    "autoreconf": """set -e
    [ "$*" = "-f --no-recursive" ]
    mkdir autom4te.cache && echo cache >autom4te.cache/requests
    cp configure configure~
    { echo "made of Makefile.am"; cat Makefile.am; } >configure
    echo "made" >aclocal.m4""" + _MAKEFILE,
}

_VARIABLES = """cvars:
    - name        : MPIR_CVAR_COLLECTIVE_FALLBACK
      type        : enum
      description : |-
        error - one
        print - two

%s=== END ===
"""

_VARIABLE = """    - name        : MPIR_CVAR_%s_INTRA_ALGORITHM
      category    : COLLECTIVE
      type        : enum
      default     : auto
      description : |-
        Which one.
        auto - by itself
        nb - another
        %s - a third

"""

_CONTAINER_H = """typedef enum {
    MPII_CSEL_CONTAINER_TYPE__ALGORITHM__MPIR_Allreduce_intra_own,
    MPII_CSEL_CONTAINER_TYPE__ALGORITHM__Algorithm_count,
} ids;

typedef struct {
    ids id;
    union {
%s    } u;
} container;
"""

_CONTAINER_C = """#include "mpl.h"

static void parse_container_params(void *obj, container * cnt)
{
    switch (cnt->id) {
        default:
            /* Algorithm does not have parameters */
            break;
    }
}

void *MPII_Create_container(void *obj)
{
    if (!strcmp(ckey, "algorithm=MPIR_Allreduce_intra_own"))
            cnt->id = 0;
        else {
            fprintf(stderr, "unrecognized key %s\\n", key);
        }
}
"""

_COLL_IMPL_C = """#include "coll_impl.h"

int MPII_Coll_init(void)
{
    /* where the rules come from */
    if (!strcmp(MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, "")) {
        start();
    }
}

int MPII_Coll_finalize(void)
{
    mpi_errno = MPIR_Csel_free(MPIR_Csel_root);
    MPIR_ERR_CHECK(mpi_errno);
}

int MPII_Coll_comm_cleanup(MPIR_Comm * comm)
{
    mpi_errno = MPIR_Csel_free(comm->csel_comm);
}
"""

_COMMUTIL_C = """int MPII_Comm_init(MPIR_Comm * comm_p)
{
    comm_p->attributes = NULL;
    comm_p->local_group = NULL;
}

int MPII_other(MPIR_Comm * comm_p)
{
    comm_p->attributes = NULL;
}
"""

_INIT_C = """#include "mpi_init.h"

int MPII_Init_thread(void)
{
    if (is_world_model) {
%s        mpi_errno = MPID_InitCompleted();
    }
}
"""

_COMM_H = """struct MPIR_Comm {
    struct {
        int own;
    } coll;
};
"""

# Reads coll_algorithms.txt and writes the calls and the prototypes.
_GEN_COLL = '''import re

class G:
    out = []

CVAR_PREFIX = "none"

def get_algo_name(algo):
    return algo["name"]

def read():
    rows, key = {}, None
    for line in open("src/mpi/coll/coll_algorithms.txt"):
        if re.match(r"\\\\w+-int(ra|er):", line):
            key = tuple(line.strip().rstrip(":").split("-"))
            rows[key] = []
        elif re.match(r"    \\\\w+$", line):
            rows[key].append({"name": line.strip()})
    return rows

def dump_head():
    G.out.append("#include \\\\"iallgatherv/iallgatherv.h\\\\"")

def dump_allcomm_auto_blocking(name, algos):
    G.out.append("MPIR_Assert(cnt);")
    for algo in algos:
        G.out.append("case a: MPIR_%s_intra_%s(" % (name.capitalize(), algo["name"]))

def dump_mpir_impl_blocking(name, algos, commkind):
    Name = name.capitalize()
    def dump_algo(algo, commkind):
        algo_name = get_algo_name(algo)
        G.out.append("case b: MPIR_%s_%s_%s(" % (Name, commkind, algo_name))
    for algo in algos:
        dump_algo(algo, "intra")
    for _ in (1,):
        G.out.append("case %s_nb:" % CVAR_PREFIX)

def function(name, kind, algo):
    if algo["name"].startswith("tsp_"):
        return "MPIR_TSP_%s_sched_%s_%s" % (name.capitalize(), kind, algo["name"][4:])
    return "MPIR_%s_%s_%s" % (name.capitalize(), kind, algo["name"])

def dump_allcomm_sched_auto(name, algos):
    G.out.append("MPIR_Assert(cnt);")
    for algo in algos:
        G.out.append("case c: %s(" % function(name, "intra", algo))

def dump_sched_impl(name, algos):
    func_name = name
    Name = name.capitalize()
    name = name[1:]
    def dump_algo_tsp(algo, commkind):
        G.out.append("case d: %s(" % function(func_name, commkind, algo))
    def dump_cases(commkind):
        if True:
            for algo in algos:
                if algo['name'].startswith('tsp_'):
                    dump_algo_tsp(algo, commkind)
    dump_cases("intra")

dump_head()
prototypes = ""
for (name, kind), algos in sorted(read().items()):
    if kind == "intra" and name.startswith("i"):
        dump_allcomm_sched_auto(name, algos)
        dump_sched_impl(name, algos)
    elif kind == "intra":
        dump_allcomm_auto_blocking(name, algos)
        dump_mpir_impl_blocking(name, algos, kind)
    for algo in algos:
        prototypes += "int %s(void);\\\\n" % function(name, kind, algo)
open("src/mpi/coll/mpir_coll.c", "w").write("\\\\n".join(G.out) + "\\\\n")
open("src/mpi/coll/include/coll_algos.h", "w").write(prototypes)
'''.replace("\\\\", "\\")

# Reads all cvars.txt and writes the enums.
_EXTRACT = '''import glob, re, sys
%(paths)s
if len(sys.argv) - 1 != %(arguments)d:
    sys.exit("called with %%s" %% sys.argv[1:])
header, text = "", ""
for name in sorted(glob.glob("src/mpi/coll/**/cvars.txt", recursive=True)):
    for entry in open(name).read().split("    - name        : ")[1:]:
        variable = entry.split()[0]
        text += variable + "\\n"
        values = re.findall(r"^ +(\\w+) +- ", entry.partition("description :")[2], re.M)
        if "type        : enum" in entry:
            header += "enum %%s_choice {\\n%%s};\\n" %% (variable.replace("MPIR_CVAR_", "", 1),
                "".join("    %%s_%%s,\\n" %% (variable, value) for value in values))
open("src/include/mpir_cvars.h", "w").write(header)
open("src/util/mpir_cvars.c", "w").write(text)
open("README.envvar", "w").write(text)
'''


def _csel(release, conditions):
    """csel.c: what mpich_names.py reads in it."""
    text = "".join('if (!strcmp(str, "%s"))\n' % name for name in COLLECTIVES)
    text += "".join('strncmp(ckey, "%s")\n' % key for key in conditions
                    if key != "any" and (release < (4, 2) or not key.endswith("=any")))
    if release >= (4, 2):
        text += 'strcmp(ckey, "any")\nstrcmp(ckey + len - 4, "=any")\n'
    if release >= (5, 0):
        text += ('strcmp(ckey, "comm_hierarchy=node_roots") {\n'
                 "    comm_hierarchy.val = false;\n}\n")
    text = '#include "mpir_csel.h"\n' + text
    for name, line in (("get_avg_msgsize", "MPI_Aint msgsize = 0;"),
                       ("get_total_msgsize", "int comm_size = coll_info.comm_ptr->local_size;")):
        text += ("static inline MPI_Aint %s(MPIR_Csel_coll_sig_s coll_info)\n{\n    %s\n"
                 "    case MPIR_CSEL_COLL_TYPE__ALLREDUCE:\n}\n" % (name, line))
    text += "if (size.local_size <= node->u.comm_avg_ppn_le.val * nodes)\n" * 2
    for name in ("gather", "scatter", "igather", "iscatter"):
        text += "if (coll_info.u.%s.root == MPI_ROOT) {\n" % name
        text += "total_bytes =\n    coll_info.u.%s.count;\n" % name * 3
    text += "total_bytes = coll_info.u.ireduce_scatter_block.recvcount;\n"
    counts = "int" if release < (4, 1) else "MPI_Aint"
    text += ("static inline %s get_count(MPIR_Csel_coll_sig_s coll_sig)\n{\n"
             "    case MPIR_CSEL_COLL_TYPE__ALLREDUCE:\n}\n" % counts)
    for name in ("is_commutative", "is_op_built_in", "is_block_regular",
                 "is_sendbuf_inplace"):
        text += ("static int %s(MPIR_Csel_coll_sig_s coll_sig)\n{\n"
                 "    case MPIR_CSEL_COLL_TYPE__ALLREDUCE:\n}\n" % name)
    return text


def texts(version, conditions):
    """{path: text} of a release like "4.0.2"; the conditions are those of conditions.def."""
    release = tuple(int(number) for number in re.findall("[0-9]+", version)[:2])
    early = release < (4, 1)
    with_own = NONBLOCKING + (() if early else ("allreduce", "bcast", "allgather"))
    members = "".join("        struct {\n            int own;\n        } %s;\n" % name
                      for name in with_own)
    paths = "".join("a = '/home/packager/maint/%s'\n" % end for end in
                    ("local_perl/lib", "local_perl/lib", "../src", "../x")) if early else ""
    files = {
        "maint/version.m4": "m4_define([MPICH_VERSION_m4],[%s])\n" % version,
        "maint/gen_coll.py": _GEN_COLL,
        "maint/extractcvars": _EXTRACT % {"paths": paths, "arguments": 1 if early else 0},
        "src/mpi/coll/coll_algorithms.txt": "".join(
            "%s-intra:\n    own_%s\n" % both for both in zip(COLLECTIVES, KINDS)) + "".join(
                "%s-inter:\n    far\n" % name for name in COLLECTIVES),
        "src/mpi/coll/cvars.txt": _VARIABLES % "".join(
            _VARIABLE % (name.upper(), "own_" + kind)
            for name, kind in zip(COLLECTIVES, KINDS)),
        "src/mpi/coll/Makefile.mk":
            "one = 1\ninclude $(top_srcdir)/src/mpi/coll/src/Makefile.mk\ntwo = 2\n",
        "src/mpi/coll/src/Makefile.mk": "three = 3\n",
        "src/mpi/coll/include/csel_container.h": _CONTAINER_H % members,
        "src/mpi/coll/src/csel_container.c": _CONTAINER_C,
        "src/mpi/coll/src/csel.c": _csel(release, conditions),
        "src/mpi/coll/src/coll_impl.c": _COLL_IMPL_C,
        "src/mpi/init/mpir_init.c": _INIT_C % (
            "        mpi_errno = MPIR_nodeid_init();\n\n" if release >= (4, 2) else ""),
        "src/mpi/comm/commutil.c": _COMMUTIL_C,
        "src/mpi/init/init_impl.c": "int own;\n",
        "src/include/mpir_comm.h": _COMM_H,
        "src/packaging/pkgconfig/mpich.pc.in": "prefix=@prefix@\n",
        "Makefile.am": "SUBDIRS = .\nexamples = examples\n",
        "configure": "a configure\n",
        "confdb/config.guess": "guess\n", "confdb/ltmain.sh": "MPICH's own libtool\n",
    }
    for name in ("aclocal.m4", "Makefile.in", "examples/Makefile.in", "test/Makefile.in",
                 "test/commands/Makefile.in", "src/include/mpichconf.h.in", "README.envvar",
                 "src/mpi/coll/mpir_coll.c", "src/mpi/coll/include/coll_algos.h",
                 "src/include/mpir_cvars.h", "src/util/mpir_cvars.c"):
        files[name] = "as released: %s\n" % name
    if early:
        files["maint/cvardirs"] = " ".join(["/home/packager/maint/../src/mpi"] * 8) + "\n"
    return files


def make(top, version, anyp):
    """Writes the release to the empty folder `top`; `anyp` is AnyP's source tree."""
    with open(os.path.join(anyp, "src/select/conditions.def"), encoding="utf-8") as file:
        conditions = re.findall(r'^ANYPI_KEY\(\w+, \w+, "([^"]+)"', file.read(), re.MULTILINE)
    for name, text in texts(version, conditions).items():
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path, ns=(10 ** 18, 10 ** 18))
    for name in ("configure", "maint/extractcvars", "confdb/config.guess"):
        os.chmod(os.path.join(top, name), 0o755)
