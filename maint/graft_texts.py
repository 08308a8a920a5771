# SPDX-License-Identifier: BSD-3-Clause
"""graft_texts.py - makes the text that maint/graft inserts into an MPICH tree, from
algorithms.def.

graft_places.py names lines in FIXED, or functions that take (algorithms, argument) and return
the lines to insert, without markers; "" if there is nothing to insert.
"""
import re

import algorithms as algorithms_def
import mpich_names
from graft_places import BLOCKING, COLLECTIVES, NONBLOCKING

HOME = "src/mpi/coll/anyp/"
ID = "MPII_CSEL_CONTAINER_TYPE__ALGORITHM__"

# The markers in a file's comment style, by the end of its name.
MARKERS = {
    ".c": ("/* AnyP: begin */", "/* AnyP: end */"),
    ".h": ("/* AnyP: begin */", "/* AnyP: end */"),
    ".mk": ("# AnyP: begin", "# AnyP: end"),
    ".py": ("# AnyP: begin", "# AnyP: end"),
    "coll_algorithms.txt": ("    # AnyP: begin", "    # AnyP: end"),
    # no comments possible inside a description: the names themselves have anyp_
    "cvars.txt": None,
}

# How MPICH's functions of a collective declare the arguments of argument_shapes.h.
DECLARATIONS = {
    "IN": "const void *%s", "OUT": "void *%s", "BOTH": "void *%s", "COUNT": "MPI_Aint %s",
    "COUNTS": "const MPI_Aint %s[]", "DISPLS": "const MPI_Aint %s[]", "TYPE": "MPI_Datatype %s",
    "TYPES": "const MPI_Datatype %s[]", "OP": "MPI_Op %s", "ROOT": "int %s"
}


def marked(file, lines):
    """Lines between markers in the comment style of the file, indented like the first line."""
    if not lines:
        return ""
    ending = next(ending for ending in MARKERS if file.endswith(ending))
    if not MARKERS[ending]:
        return lines
    indent = re.match(r" *", lines).group() if ending in (".c", ".h", ".py") else ""
    begin, end = MARKERS[ending]
    return "%s%s\n%s%s%s\n" % (indent, begin, lines, indent, end)


def blocking(collective):
    """The blocking form: "allreduce" of "allreduce" and of "iallreduce"."""
    return BLOCKING[COLLECTIVES.index(collective) % len(BLOCKING)]


def moves(collective):
    """Has it no operator?"""
    return not shape_of(collective).startswith("REDUCTION_")


def shape_of(collective):
    """How it is called: a key of algorithms.SHAPES."""
    return algorithms_def.SHAPE[blocking(collective)]


def declarations_of(collective):
    """The arguments before the communicator, as MPICH's functions declare them."""
    return [DECLARATIONS[kind] % name
            for kind, name, _ in algorithms_def.SHAPES[shape_of(collective)]]


def arguments_of(collective):
    """The expression that makes an anypi_arguments of the parameters of MPICH's functions."""
    return "ANYPI_MPIR_ARGUMENTS(%s, %s, )" % (blocking(collective).upper(), shape_of(collective))


def of_collective(algorithms, collective):
    """The algorithms that do a collective, which may be a nonblocking one."""
    return algorithms_def.of_collective(algorithms, blocking(collective))


def parameters_of(algorithms, collective):
    """Their parameters, each name once."""
    return algorithms_def.parameters_of_collective(algorithms, blocking(collective))


def entries(algorithms):
    """(collective, algorithm) of all that can be called."""
    return [(collective, one) for collective in COLLECTIVES
            for one in of_collective(algorithms, collective)]


def row_name(collective, one):
    """Returns MPICH's name of an algorithm of a collective: "tsp_" says that its function extends a
    schedule."""
    return ("tsp_anyp_%s" if collective in NONBLOCKING else "anyp_%s") % one["name"]


def rule_name(collective, one):
    """Returns its name in decision files: MPIR_Allreduce_intra_anyp_butterfly."""
    return "MPIR_%s_intra_%s" % (collective.capitalize(), row_name(collective, one))


def function_name(collective, one):
    """Returns the function that MPICH calls: as in decision files, or
    MPIR_TSP_Iallreduce_sched_intra_anyp_butterfly."""
    if collective in NONBLOCKING:
        return "MPIR_TSP_%s_sched_intra_anyp_%s" % (collective.capitalize(), one["name"])
    return rule_name(collective, one)


def variable_of_algorithm(collective):
    """The variable that forces an algorithm."""
    return "MPIR_CVAR_%s_INTRA_ALGORITHM" % collective.upper()


def variable_name(collective, parameter):
    """MPIR_CVAR_ALLREDUCE_ANYP_THRESHOLD."""
    return "MPIR_CVAR_%s_ANYP_%s" % (collective.upper(), parameter["name"].upper())


# ---- what is inserted into MPICH's files ----

def gen_forced_function(form):
    name, persistent = ("name", "false") if form == "blocking" else ("func_name", "is_persistent")
    arguments = ",\n                     ".join(
        '"%s":\n                     "%s"' % (collective, arguments_of(collective))
        for collective in BLOCKING)
    return (
        '    def anyp_log(commkind, algorithm):\n'
        '        arguments = {' + arguments + '}\n'
        '        own = "anyp_" in algorithm\n'
        '        if name in arguments and commkind == "intra" and not own:\n'
        '            G.out.append("if (MPIR_CVAR_ANYP_VERBOSE)")\n'
        '            G.out.append("    anypi_mpir_log_forced(\\"%%s\\", %s, \\"MPIR_%%s_%%s\\","\n'
        '                         %% (%s, Name, algorithm))\n'
        '            G.out.append("                          &%%s, comm_ptr);"\n'
        '                         %% arguments[name])\n'
        % (persistent, name))


FIXED = {
    "include_makefile": "include $(top_srcdir)/%sMakefile.mk\n" % HOME,
    "include_mpir": '#include "mpir/anyp_mpir.h"\n',
    "finalize": "    anypi_mpir_finalize();\n",
    "container_rule": "    int anyp_rule;      /* if AnyP has made the tree */\n",
    "alltoall_in_place": "".join(
        "    if (coll_info.coll_type == MPIR_CSEL_COLL_TYPE__%s &&\n"
        "        coll_info.u.%s.sendbuf == MPI_IN_PLACE) {\n"
        "        coll_info.u.%s.sendcount = coll_info.u.%s.recvcount;\n"
        "        coll_info.u.%s.sendtype = coll_info.u.%s.recvtype;\n"
        "    }\n" % (name.upper(), *[name] * 5) for name in ("alltoall", "ialltoall")),
    # these have the arguments of an allreduce, so any of these members of the union will do
    "like_allreduce": "".join("        case MPIR_CSEL_COLL_TYPE__%s:\n" % name.upper()
                              for name in mpich_names.LIKE_ALLREDUCE),
    "comm_clear": "    comm_p->coll.anyp = NULL;\n",
    "comm_made": "    anypi_mpir_comm_made(comm);\n",
    "comm_free": "    anypi_mpir_comm_free(comm);\n",
    "comm_member": "        struct anypi_mpir_comm *anyp;  /* what AnyP keeps with it */\n",
    "init_report": "    mpi_errno = anypi_mpir_init_report();\n    MPIR_ERR_CHECK(mpi_errno);\n",
    "gen_include": '    G.out.append("#include \\"mpir/anyp_mpir.h\\"")\n',
    "gen_log": '    G.out.append("if (MPIR_CVAR_ANYP_VERBOSE)")\n'
               '    G.out.append("    anypi_mpir_log(&coll_sig, cnt, false);")\n',
    "gen_log_nonblocking": '    G.out.append("if (MPIR_CVAR_ANYP_VERBOSE)")\n'
                           '    G.out.append("    '
                           'anypi_mpir_log(&coll_sig, cnt, is_persistent);")\n',
    # a function for MPICH's generator: logs MPICH's own algorithms that a variable forces
    "gen_forced_function": gen_forced_function("blocking"),
    "gen_forced": '        anyp_log(commkind, commkind + "_" + algo["name"])\n',
    "gen_forced_nb": '        anyp_log(commkind, "allcomm_nb")\n',
    "gen_forced_function_nonblocking": gen_forced_function("nonblocking"),
    "gen_forced_nonblocking":
        '                anyp_log(commkind, commkind + "_" + algo["name"])\n',
}


def lines_of(insertion, algorithms):
    """The lines of an insertion of graft_places.py."""
    fixed = FIXED.get(insertion.text)
    return fixed or globals()[insertion.text](algorithms, insertion.argument)


def algorithm_rows(algorithms, collective):
    """Returns rows of coll_algorithms.txt. The last parameter says who chose the algorithm. If it
    was a variable, MPICH passes the constant ..._ANYP_FORCED of mpir/anyp_mpir.h as if it were a
    variable; if it was a rule, the member of the rule's container, which is 0."""
    lines = ""
    for one in of_collective(algorithms, collective):
        names = [parameter["name"] for parameter in one["parameters"]] + ["forced"]
        lines += "    %s\n" % row_name(collective, one)
        if not one["canonical"] and not moves(collective):
            lines += "        restrictions: commutative\n"
        lines += "        extra_params: %s\n" % ", ".join(names)
        lines += "        cvar_params: %s\n" % ", ".join("ANYP_" + name.upper() for name in names)
    return lines


def variable_values(algorithms, collective):
    return "".join("        %s - Force AnyP's %s algorithm\n"
                   % (row_name(collective, one), one["name"])
                   for one in of_collective(algorithms, collective))


def container_ids(algorithms, argument):
    return "".join("    %s%s,\n" % (ID, rule_name(collective, one))
                   for collective, one in entries(algorithms))


def container_fields(algorithms, collective):
    """The members of one collective in the union of parameters."""
    members = ""
    for one in of_collective(algorithms, collective):
        members += "            struct {\n"
        for parameter in one["parameters"]:
            members += "                int %s;\n" % parameter["name"]
        members += "                int forced;\n"
        members += "            } intra_%s;\n" % row_name(collective, one)
    return members


def container_members(algorithms, collectives):
    """Structs for collectives for which MPICH has none."""
    lines = ""
    for collective in collectives:
        fields = container_fields(algorithms, collective)
        if fields:
            lines += "        struct {\n%s        } %s;\n" % (fields, collective)
    return lines


def container_cases(algorithms, argument):
    lines = ""
    for collective, one in entries(algorithms):
        container = "cnt->u.%s.intra_%s" % (collective, row_name(collective, one))
        lines += "        case %s%s:\n            {\n" % (ID, rule_name(collective, one))
        if one["parameters"]:
            lines += "                int values[%d];\n" % len(one["parameters"])
            lines += '                anypi_mpir_container(obj, "%s", values);\n' % one["name"]
        for index, parameter in enumerate(one["parameters"]):
            lines += "                %s.%s = values[%d];\n" % (container, parameter["name"], index)
        lines += "                %s.forced = 0;\n" % container
        lines += "            }\n            break;\n"
    return lines


def container_names(algorithms, argument):
    lines = ""
    for collective, one in entries(algorithms):
        name = rule_name(collective, one)
        lines += '        else if (!strcmp(ckey, "algorithm=%s"))\n' % name
        lines += "            cnt->id = %s%s;\n" % (ID, name)
    return lines


def select_init(algorithms, argument):
    source = "        MPIR_Csel_source = anypi_mpir_select_source();\n" if argument else ""
    return ("    if (anypi_mpir_select_init(&MPIR_Csel_root)) {\n" + source +
            "        mpi_errno = MPI_SUCCESS;\n"
            "    } else\n")


# ---- files of our own ----

def readme(anyp, mpich, digest):
    """Returns the record of a graft, with which the next graft compares its own."""
    return ("AnyP %s, put into MPICH %s by its maint/graft. Do not edit: change AnyP and run\n"
            "maint/graft again. The lines in MPICH's files: %s.\n" % (anyp, mpich, digest))


def makefile(sources, headers):
    """Makefile.mk: the sources and headers are paths below HOME."""
    def variable(name, files):
        return "%s += \\\n%s\n" % (name, " \\\n".join(
            "    %s%s" % (HOME, file) for file in sorted(files)))
    return ("# Generated by AnyP's maint/graft.\n\n"
            "AM_CPPFLAGS += -I$(top_srcdir)/%sinclude -I$(top_srcdir)/%s \\\n"
            "    -D_GNU_SOURCE -DANYP_IN_MPICH \\\n"
            "    -DANYP_SYSTEM_FILE='\"$(datadir)/anyp/tuned.json\"'\n\n"
            "%s\n%s\n"
            "anypdatadir = $(datadir)/anyp\n"
            "dist_anypdata_DATA = %smpich.json\n"
            % (HOME, HOME.rstrip("/"), variable("mpi_core_sources", sources),
               variable("noinst_HEADERS", headers), HOME))


def variable_row(name, kind, default, description):
    return ("    - name        : %s\n"
            "      category    : COLLECTIVE\n"
            "      type        : %s\n"
            "      default     : %s\n"
            "      class       : none\n"
            "      verbosity   : MPI_T_VERBOSITY_USER_BASIC\n"
            "      scope       : MPI_T_SCOPE_ALL_EQ\n"
            "      description : |-\n"
            "%s\n" % (name, kind, default,
                      "".join("        %s\n" % line for line in description)))


def variables(algorithms):
    """cvars.txt: AnyP's control variables as maint/extractcvars reads them."""
    text = "/* Generated by AnyP's maint/graft.\n\n=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===\n\ncvars:\n"
    text += variable_row("MPIR_CVAR_ANYP_VERBOSE", "int", "0", [
        "If not 0, rank 0 of each communicator logs to stderr which algorithm runs a collective,",
        "with its parameters, and which rule or variable chose it. There is one line for each",
        "collective, kind of operator and power of two of bytes. See anyp-variables(7)."])
    text += variable_row("MPIR_CVAR_ANYP_SYSTEM_FILE", "int", "1", [
        "If not 0, use the installed decision file share/anyp/tuned.json, if it exists and",
        "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE is empty."])
    text += variable_row("MPIR_CVAR_ANYP_SHARED_MEMORY", "int", "1", [
        "If not 0, AnyP's collectives exchange data between processes of a node over memory that",
        "these share, without MPICH's messages. If it is 0 on a process, its node shares no",
        "memory. If it is 2, MPI_Init finds the memory even if nothing else of AnyP is set, for a",
        "program that selects algorithms later, through MPI's tool interface."])
    text += variable_row("MPIR_CVAR_ANYP_REPRODUCIBLE", "int", "0", [
        "If 1, the bits of a reduction's result depend only on the operands and the number of",
        "processes. AnyP's algorithms run all reductions, and MPIR_CVAR_DEVICE_COLLECTIVES is",
        "set to none; if it is all, MPI_Init fails. See anyp-reproducible(7)."])
    text += variable_row("MPIR_CVAR_ANYP_NETWORK", "string", '""', [
        "The constants of the machine, from which AnyP computes parameters that are auto, unless",
        "a rule gives other constants: LATENCY,OVERHEAD,LINK,REDUCTION, or these and",
        "INSIDE_LATENCY,INSIDE_LINK,CARDS, or all these and LATENCY,LINK for each height of",
        "switches above the nodes. Latencies and the overhead are in ns, rates in MB/s. See",
        "anyp-variables(7)."])
    for collective in COLLECTIVES:
        for parameter in parameters_of(algorithms, collective):
            description = ["Parameter %s of AnyP's algorithms for %s:"
                           % (parameter["name"], collective), parameter["help"]]
            values = parameter["values"]
            if not values:
                description += ["%d: auto, computed for each call" % algorithms_def.AUTO]
            if values:
                description += ["%s - %s=%s" % (value, parameter["name"], value)
                                for value in values]
            text += variable_row(variable_name(collective, parameter),
                                 "enum" if values else "int",
                                 values[parameter["default"]] if values else parameter["default"],
                                 description)
    return text + "=== END_MPI_T_CVAR_INFO_BLOCK ===\n*/\n"


def enumeration(text, name, kind="enum"):
    """Returns the values that the description of an enum variable (or a string) of a cvars.txt
    lists, in their order, as maint/extractcvars numbers those of enums. None if the variable does
    not exist or has another kind."""
    entry = re.search(r"^    - name        : %s\n((?:(?!    - name|===).*\n)*)" % name, text,
                      re.MULTILINE)
    if not entry or not re.search(r"^      type        : %s$" % kind, entry.group(1), re.MULTILINE):
        return None
    description = entry.group(1).partition("description :")[2]
    return re.findall(r"^\s*(\w+)\s+-\s", description, re.MULTILINE)


def numbers(algorithms, mpich_variables, names):
    """For mpich.json: returns {variable: {value: number}} of the variables that tuners write and
    whose values have names, from MPICH's cvars.txt with the insertions. names: the table of
    mpich_names, which contains the variables of MPICH's own algorithms. If one of these is a string
    (a kind of trees), its values are numbered in their order, as MPICH's reader of decision files
    does."""
    found = {}
    own = variables(algorithms)
    for collective in COLLECTIVES:
        name = variable_of_algorithm(collective)
        found[name] = enumeration(mpich_variables, name)
        for parameter in parameters_of(algorithms, collective):
            if parameter["values"]:
                name = variable_name(collective, parameter)
                found[name] = enumeration(own, name)
    for row in names["algorithms"]:
        for name in row["variables"] if row["collective"] in COLLECTIVES else ():
            values = (enumeration(mpich_variables, name) or
                      enumeration(mpich_variables, name, "string"))
            if values:
                found[name] = values
    return {name: {value: number for number, value in enumerate(values)}
            for name, values in found.items()}


def entry_functions(algorithms, own):
    """mpir/entries.c: MPICH's functions of all algorithms, and tables of variables and of MPICH's
    own algorithms, whose names are `own`."""
    text = ("/* SPDX-License-Identifier: BSD-3-Clause\n *\n"
            " * entries.c - the functions by which MPICH calls AnyP's algorithms, and tables of\n"
            " * AnyP's variables. Generated by AnyP's maint/graft from algorithms.def.\n */\n"
            '#include "mpir/anyp_mpir.h"\n')
    for collective, one in entries(algorithms):
        text += "\n" + entry_function(collective, one)
    text += "\n" + tables(algorithms) + "\nconst char *const anypi_mpir_own_names[] = {\n"
    text += "".join('    [%s%s] =\n        "%s",\n' % (ID, name, name) for name in own)
    return text + "    [%sAlgorithm_count] = NULL\n};\n" % ID


def entry_function(collective, one):
    """One call to anypi_mpir_blocking() or anypi_mpir_nonblocking()."""
    last = "MPIR_TSP_sched_t sched" if collective in NONBLOCKING else "ANYPI_ERRFLAG errflag"
    parameters = [parameter["name"] for parameter in one["parameters"]]
    declared = declarations_of(collective) + ["MPIR_Comm * comm_ptr"]
    declared += ["int " + name for name in parameters] + ["int forced", last]
    text = wrapped("int %s(" % function_name(collective, one), declared, ")") + "\n{\n"
    if parameters:
        text += "    const int parameters[] = { %s };\n" % ", ".join(parameters)
    text += ("    const anypi_mpir_asked asked = { ANYPI_%s, %s, forced };\n"
             % (one["name"], "parameters" if parameters else "NULL"))
    text += "    const anypi_arguments arguments =\n        %s;\n" % arguments_of(collective)
    call = ["&asked", "&arguments", "comm_ptr", last.split()[-1]]
    return text + wrapped("    return anypi_mpir_%s(" % (
        "nonblocking" if collective in NONBLOCKING else "blocking"), call, ");") + "\n}\n"


def wrapped(head, words, tail):
    """head word, word, ... tail in lines of at most 100 columns, aligned after head."""
    lines = [head]
    for index, word in enumerate(words):
        word += tail if index == len(words) - 1 else ","
        if lines[-1] == head or len(lines[-1]) + 1 + len(word) <= 100:
            lines[-1] += word if lines[-1].endswith("(") else " " + word
        else:
            lines.append(" " * len(head) + word)
    return "\n".join(lines)


def tables(algorithms):
    """The two tables that mpir/anyp_mpir.h declares."""
    forms = (BLOCKING, NONBLOCKING)
    alike = [variable_of_algorithm(collective) for collective in COLLECTIVES]
    for collective in COLLECTIVES:
        for parameter in parameters_of(algorithms, collective):
            alike.append(variable_name(collective, parameter))
    alike += ["MPIR_CVAR_COLLECTIVE_FALLBACK", "MPIR_CVAR_ANYP_REPRODUCIBLE"]
    text = "const anypi_mpir_variable anypi_mpir_variables[] = {\n"
    text += "".join('    { "%s", &%s },\n' % (name, name) for name in alike)
    text += "    { NULL, NULL },\n};\n\n"
    text += "const int anypi_mpir_algorithm_values[2][ANYP_COLLECTIVES][ANYPI_ALGORITHMS] = {\n"
    for collectives in forms:
        text += "    {\n"
        for collective in collectives:
            text += "        [ANYP_%s] = {\n" % blocking(collective).upper()
            for one in algorithms:
                value = "-1"
                if blocking(collective) in one["collectives"]:
                    value = "%s_%s" % (variable_of_algorithm(collective),
                                       row_name(collective, one))
                text += "            [ANYPI_%s] = %s,\n" % (one["name"], value)
            text += "        },\n"
        text += "    },\n"
    return text + "};\n"
