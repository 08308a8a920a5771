# SPDX-License-Identifier: BSD-3-Clause
"""skeleton.py - writes a tree that the graft accepts as a release of MPICH.

All of its text is written here. Of MPICH's own text it contains only the lines that anchors and
mpich_names.py match. Its generators work: they write files from what they read, as MPICH's do. The
tools that they and the graft call (perl, autoreconf, ...) are replaced by TOOLS.
"""
import os
import re
from string import ascii_letters

from graft_places import COLL, COLLECTIVES, NONBLOCKING

# One for each collective.
KINDS = ascii_letters[:len(COLLECTIVES)]

_MAKEFILE = "find src/mpi/coll -name Makefile.mk | LC_ALL=C sort | xargs cat >Makefile.in"
TOOLS = {
    "perl": 'exec python3 -B "$@"',
    "m4": "exit 1", "autoconf": "exit 1", "aclocal": "exit 1", "libtoolize": "exit 1",
    "automake": _MAKEFILE,
    "autoreconf": '[ "$*" = "-f --no-recursive" ] && ' + _MAKEFILE,
}

_VARIABLE = """    - name        : MPIR_CVAR_%s_INTRA_ALGORITHM
      category    : COLLECTIVE
      type        : enum
      default     : auto
      description : |-
        Which one.
        auto - by itself
        nb - another
        own_%s - a third

"""

# Reads coll_algorithms.txt and writes the calls and the prototypes.
_GEN_COLL = r'''import re

class G:
    out = []

CVAR_PREFIX = "none"

def get_algo_name(algo):
    return algo["name"]

def read():
    rows, key = {}, None
    for line in open("src/mpi/coll/coll_algorithms.txt"):
        if re.match(r"\w+-int(ra|er):", line):
            key = tuple(line.strip().rstrip(":").split("-"))
            rows[key] = []
        elif re.match(r"    \w+$", line):
            rows[key].append({"name": line.strip()})
    return rows

def function(name, kind, algo):
    if algo["name"].startswith("tsp_"):
        return "MPIR_TSP_%s_sched_%s_%s" % (name.capitalize(), kind, algo["name"][4:])
    return "MPIR_%s_%s_%s" % (name.capitalize(), kind, algo["name"])

def dump_head():
    G.out.append("#include \"iallgatherv/iallgatherv.h\"")

def dump_allcomm_auto_blocking(name, algos):
    G.out.append("MPIR_Assert(cnt);")
    for algo in algos:
        G.out.append("case a: %s(" % function(name, "intra", algo))

def dump_mpir_impl_blocking(name, algos, commkind):
    Name = name.capitalize()
    def dump_algo(algo, commkind):
        algo_name = get_algo_name(algo)
        G.out.append("case b: %s(" % function(name, commkind, algo))
    for algo in algos:
        dump_algo(algo, "intra")
    if True:
        G.out.append("case %s_nb:" % CVAR_PREFIX)

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
        prototypes += "int %s(void);\n" % function(name, kind, algo)
open("src/mpi/coll/mpir_coll.c", "w").write("\n".join(G.out) + "\n")
open("src/mpi/coll/include/coll_algos.h", "w").write(prototypes)
'''

# Reads all cvars.txt and writes the enums.
_EXTRACT = '''import glob, re, sys
%(paths)s
if len(sys.argv) - 1 != %(arguments)d:
    sys.exit("called with %%s" %% sys.argv[1:])
header = ""
for name in sorted(glob.glob("src/mpi/coll/**/cvars.txt", recursive=True)):
    for entry in open(name).read().split("    - name        : ")[1:]:
        variable = entry.split()[0]
        values = re.findall(r"^ +(\\w+) +- ", entry.partition("description :")[2], re.M)
        if "type        : enum" in entry:
            header += "enum %%s_choice {\\n%%s};\\n" %% (variable.replace("MPIR_CVAR_", "", 1),
                "".join("    %%s_%%s,\\n" %% (variable, value) for value in values))
open("src/include/mpir_cvars.h", "w").write(header)
'''


_ERRORS = '''import glob, sys
found = any('"**fail %s"' in open(name).read()
            for name in glob.glob("src/mpi/coll/anyp/mpir/*.c"))
open(sys.argv[2].partition("=")[2], "w").write('"**fail %s"' if found else "")
'''


def _function(head, *lines):
    """A function of C."""
    return "%s\n{\n%s}\n" % (head, "".join("    %s\n" % line for line in lines))


def _csel(release, conditions):
    """csel.c: what mpich_names.py reads in it, and what the graft mends."""
    keys = [key for key in conditions
            if key not in ("any", "comm_levels<=") and not key.startswith("memory=")
            and (release < (4, 2) or not key.endswith("=any"))]
    lines = ['strcmp(str, "%s")' % name for name in COLLECTIVES]
    lines += ['strncmp(ckey, "%s")' % key for key in keys]
    if release >= (4, 2):
        lines += ['strcmp(ckey, "any")', 'strcmp(ckey + len - 4, "=any")']
    if release >= (5, 0):
        lines += ['strcmp(ckey, "comm_hierarchy=node_roots") {', "comm_hierarchy.val = false;", "}"]
    lines += ["if (size.local_size <= node->u.comm_avg_ppn_le.val * nodes)"] * 2
    for name in ("gather", "scatter", "igather", "iscatter"):
        lines += ["if (coll_info.u.%s.root == MPI_ROOT) {" % name]
        lines += ["total_bytes =\n    coll_info.u.%s.count;" % name] * 3
    lines += ["total_bytes = coll_info.u.ireduce_scatter_block.recvcount;"]
    text = _function("void all(void)", *lines)
    count = "%s get_count" % ("int" if release < (4, 1) else "MPI_Aint")
    for name, line in (("MPI_Aint get_avg_msgsize", "MPI_Aint msgsize = 0;"),
                       ("MPI_Aint get_total_msgsize",
                        "int comm_size = coll_info.comm_ptr->local_size;"),
                       (count, ""), ("int is_commutative", ""), ("int is_op_built_in", ""),
                       ("int is_block_regular", ""), ("int is_sendbuf_inplace", "")):
        text += _function("static inline %s(MPIR_Csel_coll_sig_s coll_info)" % name, line,
                          "    case MPIR_CSEL_COLL_TYPE__ALLREDUCE:")
    return text


def _texts(version, conditions):
    """{path: text} of a release like "4.0.2"; the conditions are those of conditions.def."""
    release = tuple(int(number) for number in re.findall("[0-9]+", version)[:2])
    early = release < (4, 1)
    without_own = ("iscan", "iexscan", "igatherv", "iscatterv")
    with_own = tuple(name for name in NONBLOCKING if name not in without_own) + (
        () if early else ("allreduce", "barrier", "bcast", "allgather", "alltoall"))
    paths = ("/local_perl/lib", "/local_perl/lib", "/../src", "/../x") if early else ()
    files = {
        "maint/version.m4": "m4_define([MPICH_VERSION_m4],[%s])\n" % version,
        "maint/gen_coll.py": _GEN_COLL,
        "maint/extractcvars": _EXTRACT % {
            "paths": "\n".join("a = '/home/packager/maint%s'" % path for path in paths),
            "arguments": 1 if early else 0},
        "maint/extracterrmsgs": _ERRORS,
        "src/mpi/errhan/defmsg.h": "",
        COLL + "coll_algorithms.txt":
            "".join("%s-intra:\n    own_%s\n" % both for both in zip(COLLECTIVES, KINDS)) +
            "".join("%s-inter:\n    far\n" % name for name in COLLECTIVES),
        COLL + "cvars.txt":
            "cvars:\n" + "".join(_VARIABLE % (name.upper(), kind)
                                 for name, kind in zip(COLLECTIVES, KINDS)) + "=== END ===\n",
        COLL + "Makefile.mk": "include $(top_srcdir)/src/mpi/coll/src/Makefile.mk\n",
        COLL + "include/csel_container.h":
            "    MPII_CSEL_CONTAINER_TYPE__ALGORITHM__Algorithm_count,\n"
            "    MPII_Csel_container_type_e id;\n    union {\n" +
            "".join("        struct {\n        } %s;\n" % name for name in with_own) + "    } u;\n",
        COLL + "src/csel_container.c": '#include "mpl.h"\n' + _function(
            "static void parse_container_params(void *obj, container * cnt)",
            "    default:\n            /* Algorithm does not have parameters */") + _function(
                "void *MPII_Create_container(void *obj)",
                '    else {\n            fprintf(stderr, "unrecognized key %s");'),
        COLL + "src/csel.c": _csel(release, conditions),
        COLL + "src/coll_impl.c": '#include "coll_impl.h"\n' + _function(
            "int MPII_Coll_init(void)",
            'if (!strcmp(MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, "")) {') + _function(
                "int MPII_Coll_finalize(void)", "mpi_errno = MPIR_Csel_free(MPIR_Csel_root);",
                "MPIR_ERR_CHECK(mpi_errno);") + _function(
                    "int MPIR_Coll_comm_init(MPIR_Comm * comm)",
                    "mpi_errno = MPIR_Csel_prune(MPIR_Csel_root, comm, &comm->csel_comm);",
                    "MPIR_ERR_CHECK(mpi_errno);") + _function(
                    "int MPII_Coll_comm_cleanup(MPIR_Comm * comm)",
                    "mpi_errno = MPIR_Csel_free(comm->csel_comm);"),
        "src/mpi/init/mpir_init.c": '#include "mpi_init.h"\n' + _function(
            "int MPII_Init_thread(void)", "if (is_world_model) {",
            *["    mpi_errno = MPIR_nodeid_init();\n"] * (release >= (4, 2)),
            "    mpi_errno = MPID_InitCompleted();", "}"),
        "src/mpi/comm/commutil.c": "".join(
            _function("int %s(MPIR_Comm * comm_p)" % name, "comm_p->attributes = NULL;")
            for name in ("MPII_Comm_init", "MPII_other")),
        "src/include/mpir_comm.h": "struct {\n    } coll;\n",
    }
    for name in ("configure", "Makefile.in", COLL + "mpir_coll.c", COLL + "include/coll_algos.h",
                 "src/include/mpir_cvars.h"):
        files[name] = "as released: %s\n" % name
    if early:
        files["maint/cvardirs"] = " ".join(["/home/packager/maint/../src/mpi"] * 8) + "\n"
    return files


def make(top, version, anyp):
    """Writes the release to the empty folder `top`; `anyp` is AnyP's source tree."""
    with open(os.path.join(anyp, "src/select/conditions.def"), encoding="utf-8") as file:
        conditions = re.findall(r'^ANYPI_KEY\(\w+, \w+, "([^"]+)"', file.read(), re.MULTILINE)
    for name, text in _texts(version, conditions).items():
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
