/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libanyp.c - libanyp(7): the plug-in. Variables and algorithms come from their tables.
 */
#include "pages.h"
#include "roff.h"

#include "algorithms/registry.h"
#include "tools/tool.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void write_use(void)
{
    roff_section("SYNOPSIS");
    roff_synopsis("anyp run [OPTION]... -- COMMAND [ARGUMENT]...");
    roff_verbatim("  LD_PRELOAD=" ANYP_PLUGINDIR "/mpich/libanyp.so.0 mpiexec -n 13 ./program\n"
                  "  LD_PRELOAD=" ANYP_PLUGINDIR "/openmpi/libanyp.so.0 mpirun -n 13 ./program\n"
                  "  mpicc program.c $(pkg-config --cflags --libs anyp-mpich)\n");
    roff_section("DESCRIPTION");
    roff_text(
        "libanyp.so puts reductions that are good for any number of processes in front of\n"
        "those of an MPI library that is used as it is: MPI_Allreduce, MPI_Reduce,\n"
        "MPI_Reduce_scatter and MPI_Reduce_scatter_block, and their forms for large\n"
        "counts where the library has them. C and Fortran programs are served alike.\n"
        "\n"
        "There are three builds. One is for MPICH and every library with its ABI, such as\n"
        "Intel MPI, Cray MPICH, MVAPICH and ParaStation MPI; one is for Open MPI; and one\n"
        "is for every library with the standard ABI of MPI 5, as MPICH 5 and Open MPI 6\n"
        "have it beside their own. anyp run finds out which of them a command needs, and\n"
        "preloads it. By hand,\n"
        "LD_PRELOAD must reach all processes: Open MPI's mpirun hands it to other nodes\n"
        "with its option -x only.\n"
        "\n"
        "A program may also be linked with it, in front of the MPI library, as\n"
        "pkg-config's packages anyp-mpich, anyp-openmpi and anyp-abi say; then nothing\n"
        "needs to be preloaded. Such a program can change what the variables below say\n"
        "while it runs, and ask what ran: see anyp_control.h.\n"
        "\n"
        "Without any of the variables below every call is passed on to the MPI library.\n");
}

static void write_choice(void)
{
    roff_section("CHOOSING ALGORITHMS");
    roff_text(
        "For each call, the first of these that applies:\n"
        "- ANYP_<COLLECTIVE>_ALGORITHM names an algorithm. If that does not serve the\n"
        "  call (the operator does not commute, but must), the library's own runs.\n"
        "- A rule of the decision file of ANYP_TUNING_FILE holds. If its algorithm does\n"
        "  not serve the call, the first of AnyP's that does runs instead; if it is not\n"
        "  one of AnyP's, the library's own runs.\n"
        "- The library's own runs.\n"
        "All processes decide alike, before the first message. A decision file is MPICH's\n"
        "JSON for the selection of collectives; anyp-tune writes one, and anyp check and\n"
        "anyp select tell what is wrong with one, and what it does.\n");
}

/* Variables are called so for each of the collectives. */
static void write_each(const char *name, const char *argument, const char *sentence)
{
    char variable[128];
    snprintf(variable, sizeof variable, "ANYP_<COLLECTIVE>_%s", name);
    roff_term(variable, "=", argument);
    roff_text(sentence);
}

static void write_variables(void)
{
    roff_section("ENVIRONMENT");
#define ANYP_VARIABLE(name, argument, sentence)                                                    \
    roff_term("ANYP_" #name, "=", #argument);                                                      \
    roff_text(sentence);
#define ANYP_VARIABLE_EACH(name, argument, sentence) write_each(#name, #argument, sentence);
#include "settings/variables.def"
#undef ANYP_VARIABLE
#undef ANYP_VARIABLE_EACH
    write_each("<PARAMETER>", "VALUE",
               "a parameter of the algorithm that the variable above names; see ALGORITHMS. Rules "
               "of a decision file bring their own.");
    puts(".PP");
    roff_text(
        "COLLECTIVE is ALLREDUCE, REDUCE, REDUCE_SCATTER or REDUCE_SCATTER_BLOCK. An\n"
        "empty value is as good as none.\n");
}

static void write_parameter(const anyp_parameter *parameter)
{
    char standard[ANYP_VALUE_SIZE], range[512], name[64], text[2048];
    snprintf(name, sizeof name, "%s", parameter->name);
    for (char *c = name; *c; c++)
        *c = (char) toupper((unsigned char) *c);
    snprintf(text, sizeof text, "%s (%s; default %s)", parameter->help,
             anyp_parameter_range(parameter, range, sizeof range),
             anyp_parameter_text(parameter, parameter->default_value, standard, sizeof standard));
    roff_term(name, "", NULL);
    roff_text(text);
}

static void write_algorithm(const anyp_algorithm *algorithm)
{
    char text[1024] = "";
    size_t length = 0;
    for (int i = 0; i < ANYP_COLLECTIVES && length < sizeof text; i++)
        if (algorithm->collectives & ANYP_IN_SET(i))
            length += (size_t) snprintf(text + length, sizeof text - length, "%s%s",
                                        length ? ", " : "",
                                        anyp_collective_name((anyp_collective) i));
    roff_subsection(algorithm->name);
    roff_text(algorithm->code->summary);
    puts(".br");
    roff_text(text);
    puts(".br");
    roff_text(anypi_tool_order(algorithm));
    for (int i = 0; i < algorithm->parameters_count; i++)
        write_parameter(&algorithm->parameters[i]);
}

static void write_algorithms(void)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    roff_section("ALGORITHMS");
    roff_text(
        "Each with the collectives and the operators that it serves, and its parameters.\n"
        "anyp list says more of their cost, and where they are from.\n");
    for (int i = 0; i < count; i++)
        write_algorithm(&algorithms[i]);
}

static void write_passed(void)
{
    roff_section("WHAT IS PASSED ON");
    roff_text(
        "The MPI library's own collective runs, whatever variables and files say:\n"
        "- on intercommunicators, and on communicators of one process;\n"
        "- for empty vectors, and with arguments that are wrong, so that the library\n"
        "  tells of them;\n"
        "- for buffers in the memory of an accelerator (CUDA or HIP), which must be there\n"
        "  on all processes of a call, or on none;\n"
        "- with Open MPI, on communicators whose first collective comes before MPI_Init,\n"
        "  or in a program that has sessions only: its MPI_Reduce_local crashes there;\n"
        "- on a communicator whose processes have different settings, and if something is\n"
        "  wrong with the settings.\n"
        "All other functions of MPI, the nonblocking collectives among them, are the\n"
        "library's.\n");
}

static void write_messages(void)
{
    roff_section("MESSAGES AND ERRORS");
    roff_text(
        "All messages go to stderr. With ANYP_VERBOSE they say what runs, a line each,\n"
        "folded here:\n");
    roff_verbatim("  anyp: allreduce p=13 bytes=1048576 op=non-commutative ->\n"
                  "  anyp_butterfly(threshold=0, odd=overlap, ring_max=3),\n"
                  "  chosen by ANYP_ALLREDUCE_ALGORITHM\n");
    puts(".PP");
    roff_text(
        "bytes is the whole vector, all blocks together; op is commutative (an operator\n"
        "of MPI's), commutative-user or non-commutative.\n"
        "\n"
        "An unknown algorithm, a value out of its range or a decision file that cannot be\n"
        "read gives one message, when MPI is initialized; the application goes on with\n"
        "the library's own collectives. So do processes with different settings, which\n"
        "are compared in the first collective on each communicator. With ANYP_STRICT=1\n"
        "on any process both are errors instead: of the function that found it, by the\n"
        "error handler of the communicator.\n"
        "\n"
        "Errors of MPI in a collective come to the error handler of the communicator that\n"
        "it was called on; but MPICH tells MPI_COMM_WORLD's of those of messages that are\n"
        "under way while others are: in most algorithms with vectors of 4 KiB and more,\n"
        "in some with shorter ones, too.\n");
}

static void write_limits(void)
{
    roff_section("FILES");
    roff_term(ANYP_PLUGINDIR "/mpich/libanyp.so.0", "", NULL);
    roff_text("for MPICH and its ABI (libmpi.so.12, libmpich.so.12)");
    roff_term(ANYP_PLUGINDIR "/openmpi/libanyp.so.0", "", NULL);
    roff_text("for Open MPI (libmpi.so.40)");
    roff_term(ANYP_PLUGINDIR "/abi/libanyp.so.0", "", NULL);
    roff_text("for the standard ABI (libmpi_abi.so.1), whichever library has it");
    roff_section("THE STANDARD ABI");
    roff_text(
        "Programs that are compiled by mpicc_abi run with each library that has the ABI,\n"
        "and so does the one libanyp.so for it. What the ABI lacks:\n"
        "- It is one of C. Fortran programs are made for a library's own ABI; bindings\n"
        "  that lie on the standard one are served if they call the C functions by their\n"
        "  own names, not by those with PMPI_.\n"
        "- Whose the library is, is known only while the program runs: anyp run cannot\n"
        "  warn of a launcher that is another library's.\n"
        "- A script's MPI cannot be found out: name it, anyp run --mpi abi.\n"
        "- MPICH 4.3 has a draft of it, with other constants: the program ends with a\n"
        "  message.\n"
        "- Types that only some libraries have: calls with MPI_REAL2, MPI_COMPLEX4 and\n"
        "  MPI_LOGICAL16 are left to the library.\n");
    roff_section("NOTES");
    roff_text(
        "- Messages run on a communicator of the same group that is made in the first\n"
        "  collective which AnyP runs on a communicator, and is freed with it.\n"
        "- While it is made, the application's communicator has MPI_ERRORS_RETURN, so\n"
        "  that a failure leaves its collectives to the library. An error on it in another\n"
        "  thread returns meanwhile, instead of going to the application's handler.\n"
        "- It is made for 256 communicators at a time, so that the application has the\n"
        "  others; on further ones the library's own collectives run.\n"
        "- All processes of a communicator need libanyp.so, or none.\n"
        "- Results are the same bits on all processes, for every datatype and operator;\n"
        "  they may differ from those of the MPI library, which brackets in other ways.\n"
        "- With the plug-in there, MPI_Init and the first collective on each communicator\n"
        "  compare the settings of its processes by a small allreduce of the library's,\n"
        "  whether any variable is set or not.\n"
        "- MPIX_Comm_revoke does not reach AnyP's messages: processes that wait in one of\n"
        "  AnyP's collectives go on waiting. Applications that revoke communicators should\n"
        "  leave the library's own collectives on.\n"
        "- A program that is linked statically cannot be preloaded into; link it with\n"
        "  libanyp.so, or dynamically.\n"
        "- Of AnyP and a tool that wraps the same functions, only one sees a call. In\n"
        "  LD_PRELOAD the first does, which is the tool, as anyp run leaves it: it goes on\n"
        "  with PMPI functions, past AnyP, which so does nothing. anyp run warns of it.\n"
        "- A decision is made for a number of processes and a size. Load, placement and\n"
        "  network may differ from when it was measured.\n");
}

void page_libanyp(void)
{
    roff_page("libanyp", 7, "MPI reductions for any number of processes, in front of any MPI");
    write_use();
    write_choice();
    write_variables();
    write_algorithms();
    write_passed();
    write_messages();
    write_limits();
    roff_see("anyp(1), anyp-tune(1)");
}
