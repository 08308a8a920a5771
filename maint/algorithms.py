# SPDX-License-Identifier: BSD-3-Clause
"""algorithms.py - reads src/algorithms/algorithms.def and src/schedule/collectives.def as Python
data, for the other scripts: read() returns the algorithms, or raises Refused. (For users there is
anyp list --json.)
"""
import os
import re

# The lists of the checkout of this file.
SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")
DEFINITIONS = os.path.join(SOURCE, "algorithms", "algorithms.def")


def read_collectives():
    """Returns {MPI's name in lower case: (shape, forward)}, in the order of collectives.def. If the
    collective moves data, `forward` is the collective whose schedules run backwards, or itself;
    otherwise it is None."""
    with open(os.path.join(SOURCE, "schedule", "collectives.def"), encoding="utf-8") as file:
        return {name: (kind + "_" + arguments, forward.lower() if kind == "MOVEMENT" else None)
                for name, kind, arguments, forward in
                re.findall(r"^ANYP_COLLECTIVE\(\w+, \w+, (\w+), (\w+),\s+\w+, \w+,\s+(\w+),"
                           r"\s+(\w+),\s+\w+\)", file.read(), re.MULTILINE)}


def read_shapes():
    """Returns the rows of argument_shapes.h: {shape: ((kind, name, member), ...)}, with shapes like
    REDUCTION_COUNT."""
    shapes = {}
    with open(os.path.join(SOURCE, "schedule", "argument_shapes.h"), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    for shape, words in re.findall(r"^#define ANYPI_SHAPE_(\w+)\(WORD, x\)(.*)$", text,
                                   re.MULTILINE):
        shapes[shape] = ()
        for other, *word in re.findall(
                r"ANYPI_SHAPE_(\w+)\(WORD, x\)|WORD\(x, (\w+), (\w+), (\w+)\)", words):
            shapes[shape] += shapes[other] if other else (tuple(word),)
    return shapes


# How MPI's function of each collective is called: a key of SHAPES.
SHAPE = {name: shape for name, (shape, _) in read_collectives().items()}
SHAPES = read_shapes()
# Collectives whose ranks know only the sizes of their own blocks.
LOCAL_SIZES = tuple(name for name, shape in SHAPE.items() if shape.endswith(
    ("PAIRS", "ROOT_GETS_COUNTS", "ROOT_GIVES_COUNTS")))
# Of each collective that moves data, the collective that runs backwards, or itself.
FORWARD = {name: forward for name, (_, forward) in read_collectives().items() if forward}
# Collectives that algorithms.def names.
COLLECTIVES = tuple(name.upper() for name in SHAPE if FORWARD.get(name, name) == name)
PROPERTIES = ("ANYP_CANONICAL", "ANYP_SAME_BRACKETING", "ANYP_REFERENCE", "ANYP_REPRODUCIBLE",
              "ANYP_REPRODUCIBLE_POWERS", "ANYP_REPRODUCIBLE_SCANS", "ANYP_NEIGHBOURS", "ANYP_TREE",
              "ANYP_FORWARDS", "ANYP_UNEVEN")
INT_MAX = 2147483647
AUTO = -1  # ANYP_AUTO of include/anyp.h
MAX_PARAMETERS = 8  # ANYP_MAX_PARAMETERS of include/anyp.h
NAME = "([a-z][a-z0-9_]*)"

# Names in the functions that maint/graft generates.
RESERVED = ("sendbuf", "recvbuf", "buffer", "count", "sendcount", "sendcounts", "recvcounts",
            "recvcount", "displs", "sdispls", "rdispls", "datatype", "sendtype", "recvtype",
            "sendtypes", "recvtypes", "op", "root", "comm_ptr", "errflag", "sched", "arguments",
            "asked", "forced", "parameters", "values", "int")

# The parameter that ANYP_NETWORK adds, for variables.
NETWORK_LIST = "1500,500,12500,5000"
NETWORK_HELP = ("default, the constants of MPIR_CVAR_ANYP_NETWORK; lists of constants are for "
                "decision files only")


class Refused(Exception):
    """A line of algorithms.def is wrong: 'FILE:LINE: reason'."""


def read():
    """Returns the list of algorithms: dicts with name, collectives (lower case), canonical,
    same_bracketing, reference, parameters. Parameters are dicts with name, values or None, list
    (an example, if lists are also values) or None, default, minimum, maximum, help. Raises
    Refused."""
    algorithms = []
    line_number = 0
    try:
        with open(DEFINITIONS, encoding="utf-8") as file:
            for line_number, line in rows(file.read()):
                take_row(line, algorithms)
        if not algorithms:
            raise ValueError("no ANYP_ALGORITHM row")
    except ValueError as reason:
        raise Refused("%s:%d: %s" % (DEFINITIONS, line_number, reason)) from None
    return algorithms


def rows(text):
    """Yields the first line number and the text of each row, as one line. Comments and lines of
    the preprocessor are left out."""
    text = re.sub(r"/\*.*?\*/|^#.*?$", lambda match: "\n" * match[0].count("\n"), text,
                  flags=re.MULTILINE | re.DOTALL)
    # a row ends with the first bracket at the end of a line
    for match in re.finditer(r'\S(?:"[^"\n]*"|[^"])*?\)$|\S.*', text, re.MULTILINE):
        line = " ".join(part.strip() for part in match[0].split("\n"))
        yield text.count("\n", 0, match.start()) + 1, line.replace('" "', "")


def take_row(line, algorithms):
    """Adds one row to the list; ValueError with the reason."""
    for form, take in FORMS:
        match = re.fullmatch(form, line)
        if match:
            take(algorithms, *match.groups())
            return
    raise ValueError("not a row of one of the forms in the head of the file: %s" % line)


def number(text):
    """An int from decimals or INT_MAX."""
    value = {"INT_MAX": INT_MAX, "-INT_MAX": -INT_MAX}.get(text)
    value = int(text) if value is None else value
    if abs(value) > INT_MAX:
        raise ValueError("%s is not an int" % text)
    return value


def add_algorithm(algorithms, name, collectives, properties):
    """A new algorithm at the end of the list."""
    collectives = collectives.split(" | ")
    properties = [] if properties == "0" else properties.split(" | ")
    if find(algorithms, name):
        raise ValueError("algorithm %s is there twice" % name)
    for given, known in ((collectives, COLLECTIVES), (properties, PROPERTIES)):
        for word in given:
            if word not in known:
                raise ValueError("'%s' is unknown; known: %s" % (word, ", ".join(known)))
        if len(set(given)) != len(given):
            raise ValueError("the same word twice")
    done = {word.lower() for word in collectives}
    if "ANYP_FORWARDS" not in properties:
        done.update(name for name, forward in FORWARD.items() if forward in done)
    algorithms.append({
        "name": name,
        "collectives": [name for name in SHAPE if name in done],
        "canonical": "ANYP_CANONICAL" in properties,
        "same_bracketing": "ANYP_SAME_BRACKETING" in properties,
        "reference": "ANYP_REFERENCE" in properties,
        "parameters": []})


def add_number(algorithms, algorithm, name, minimum, maximum, help_text):
    """A parameter that is a number."""
    add_parameter(algorithms, algorithm, {
        "name": name, "values": None, "list": None, "default": AUTO,
        "minimum": number(minimum), "maximum": number(maximum), "help": help_text})


def add_enum(algorithms, algorithm, name, default, size, values, example, help_text):
    """A parameter with named values; default None: the first; example None: no lists."""
    values = values.split("|")
    if len(values) != int(size):
        raise ValueError("%s says %s values and lists %d" % (name, size, len(values)))
    for value in values:
        if not re.fullmatch(NAME, value):
            raise ValueError("'%s' is no name for a value: lower case words" % value)
    if len(set(values)) != len(values):
        raise ValueError("a value of %s is there twice" % name)
    add_parameter(algorithms, algorithm, {
        "name": name, "values": values, "list": example, "default": int(default or 0),
        "minimum": 0, "maximum": len(values) - 1, "help": help_text})


def add_network(algorithms, algorithm):
    """The parameter that holds the constants of a network."""
    add_enum(algorithms, algorithm, "network", None, 1, "default", NETWORK_LIST, NETWORK_HELP)


def add_parameter(algorithms, algorithm, parameter):
    """A new parameter of the last algorithm of the list."""
    if not algorithms or algorithms[-1]["name"] != algorithm:
        raise ValueError("the row does not follow the row of its algorithm, %s" % algorithm)
    if parameter["name"] in RESERVED:
        raise ValueError("'%s' is no name for a parameter: it is an argument of the collectives"
                         % parameter["name"])
    if re.match(r"\w+\s+-\s", parameter["help"]):
        raise ValueError("the help must not begin with 'word - ': MPICH would take the word "
                         "for a value")
    if parameter["values"] and not parameter["default"] <= parameter["maximum"]:
        raise ValueError("the default is not one of the values")
    if parameter["minimum"] > parameter["maximum"]:
        raise ValueError("the range is empty")
    parameters = algorithms[-1]["parameters"]
    if any(other["name"] == parameter["name"] for other in parameters):
        raise ValueError("parameter %s is there twice" % parameter["name"])
    if len(parameters) == MAX_PARAMETERS:
        raise ValueError("more than %d parameters (ANYP_MAX_PARAMETERS)" % MAX_PARAMETERS)
    for other in all_parameters(algorithms):
        if other["name"] == parameter["name"] and any(
                other[key] != parameter[key]
                for key in ("values", "list", "default", "minimum", "maximum")):
            raise ValueError("parameter %s differs from the one of the same name above; they "
                             "share one variable" % parameter["name"])
    parameters.append(parameter)


def check_parameter(algorithms, algorithm, parameter):
    """The parameter of an algorithm; ValueError if there is none."""
    for one in (find(algorithms, algorithm) or {"parameters": []})["parameters"]:
        if one["name"] == parameter:
            return one
    raise ValueError("%s has no parameter %s" % (algorithm, parameter))


def check_alias(algorithms, name, algorithm, parameter, value):
    """ValueError if an alias names what does not exist. MPICH does not see aliases."""
    if find(algorithms, name) or not find(algorithms, algorithm):
        raise ValueError("%s is an algorithm, or %s is none" % (name, algorithm))
    one = check_parameter(algorithms, algorithm, parameter)
    if value not in (one["values"] or [value if value.isdigit() else None]):
        raise ValueError("%s is no value of %s" % (value, parameter))


def find(algorithms, name):
    """The algorithm of that name, or None."""
    return next((one for one in algorithms if one["name"] == name), None)


def all_parameters(algorithms):
    """Every parameter of every algorithm."""
    return [parameter for one in algorithms for parameter in one["parameters"]]


def of_collective(algorithms, collective):
    """The algorithms that do a collective ('allreduce')."""
    return [one for one in algorithms if collective in one["collectives"]]


def parameters_of_collective(algorithms, collective):
    """The parameters of all algorithms of a collective, each name once."""
    found = {}
    for parameter in all_parameters(of_collective(algorithms, collective)):
        found.setdefault(parameter["name"], parameter)
    return list(found.values())


NUMBER = "(-?[0-9]+|-?INT_MAX)"
TEXT = r'"([^"\\]+)"'
# The forms of rows, and what takes their parts.
FORMS = (
    (rf"ANYP_ALGORITHM\({NAME}, ([A-Z_| ]+), ([A-Z_| ]+|0)\)", add_algorithm),
    (rf"ANYP_(?:NUMBER|BYTES)\({NAME}, {NAME}, {NUMBER}, {NUMBER}, {TEXT}\)", add_number),
    (rf"ANYP_ENUM(?:_AUTO|_OR_LIST)?\({NAME}, {NAME}, (?:([0-9]+), )?([0-9]+), {TEXT},"
     rf' (?:"([0-9]+(?:,[0-9]+)*)", )?{TEXT}\)', add_enum),
    (rf"ANYP_NETWORK\({NAME}\)", add_network),
    (rf"ANYP_(?:NODES|LOCAL)\({NAME}, {NAME}\)", check_parameter),
    (rf"ANYP_ALIAS\({NAME}, {NAME}, {NAME}, ([a-z0-9_]+)\)", check_alias))
