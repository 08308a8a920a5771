# SPDX-License-Identifier: BSD-3-Clause
"""The data files of the benches: the contents of each, and the command that measures it."""
import typing


class Source(typing.NamedTuple):
    """Of one data file. what: a sentence; more: what else is to be known."""
    title: str
    what: str
    more: str = ""
    command: str = "make bench-sim"


SOURCES = {
    "sim-flat": Source(
        "Simulated, flat network",
        "SimGrid's SMPI: time is computed, exact and repeatable.",
        "The peers are SMPI's own selectors; the single algorithms are all that SMPI has, the "
        "fastest taken in each cell with hindsight. The bound is ceil(log2 p) latencies and the "
        "least volume at full rate, without the overheads of messages; a direct exchange has fewer "
        "latencies and can be below it. AnyP's decision file was tuned in this network for these p "
        "and sizes; the peers' choices were made for other machines. Reductions and copies in "
        "memory take no time. A matrix product is an operator that does not commute, of 2x2 "
        "matrices of 8 bytes each. A peer whose result is wrong is no rival in that cell. "
        "reduce_scatter has equal blocks."),
    "sim-flat-eager": Source(
        "Simulated, flat network, every message eager",
        "The same, but every message is sent at once, of whatever length: it need not wait until "
        "the other end is there, and shares the ports with all that are under way."),
    "sim-flat-late": Source(
        "Simulated, flat network, late ranks",
        "The same, but ranks begin at different moments, up to 20 us after each other; a time is "
        "from the moment when the last rank begins until the last one is done, the mean of some "
        "calls.",
        "AnyP and the peers have the same delays. There is no bound: the other ranks can do a part "
        "before the last one comes."),
    "sim-flat-reproducible": Source(
        "Simulated, flat network, reproducible results",
        "What it costs that results are reproducible: AnyP free to choose, against AnyP with "
        "ANYP_REPRODUCIBLE=1 and the same decision file.",
        "The file was tuned for the free choice. What does not keep the tree of p is replaced.",
        command="test/sim/bench flat --scenario reproducible"),
    "sim-nodes-reproducible": Source(
        "Simulated, nodes with one card, reproducible results",
        "The same for nodes with one card.",
        "The tree of p does not know nodes. A group of neighbours in the tree is on several nodes, "
        "so that long vectors go through a card several times.",
        command="test/sim/bench nodes --scenario reproducible"),
    "sim-nodes": Source(
        "Simulated, nodes with one card",
        "The same for nodes whose ranks share one network card: 13x8 is 13 nodes of 8 ranks, and "
        "12x8:cyclic has its ranks dealt to the nodes round robin.",
        "Messages inside a node do not use the card. The decision file was tuned for six of the "
        "shapes; 12x24 and 6x48 follow the rules of the nearest. The bound is ceil(log2 n) "
        "latencies for n nodes and the least volume through a card."),
    "sim-cards": Source(
        "Simulated, nodes with two cards",
        "The same for a shape with two network cards a node, which its ranks use in turn.",
        "The peers take the ranks of a card for a node."),
    "sim-shapes": Source(
        "Simulated, shapes of machines",
        "Nodes at the switches of a dragonfly or a fat tree, whose links are shared, or nodes of "
        "very different sizes; generic.json.",
        "5x(8x4),(5x4) is five switches of 8 nodes of 4 ranks, and one of 5. With random order "
        "ranks follow a random order of the nodes.", command="make bench-sim"),
    "sim-tree": Source(
        "Simulated, fat tree",
        "The same in a fat tree with slower links between its switches."),
    "sim-flat-moves": Source(
        "Simulated, flat network, what moves data",
        "The flat network, but collectives that move data and reduce nothing: no operators.",
        "Sizes are those of the whole vector: of allgather, gather and scatter the blocks of all "
        "ranks, of alltoall those that one rank sends. The root is rank 0. The rules are in the "
        "same decision file as those of the reductions."),
    "sim-nodes-moves": Source(
        "Simulated, nodes with one card, what moves data",
        "The same for nodes with one card."),
    "sim-flat-scans": Source(
        "Simulated, flat network, scans and barrier",
        "The flat network: scan, exscan and barrier with generic.json.",
        "SMPI's own scans send each vector to all higher ranks. So AnyP's authors wrote the peers "
        "of scans from descriptions: MPICH's and MVAPICH2's recursive doubling, Open MPI's chain. "
        "The best single algorithm is a chain of segments, which no library has, with the best of "
        "three lengths."),
    "sim-nodes-scans": Source(
        "Simulated, nodes with one card, scans and barrier",
        "The same for nodes with one card.",
        "MPICH and MVAPICH2 scan inside nodes first, then among nodes; their exscan does not know "
        "nodes."),
    "sim-flat-pairs": Source(
        "Simulated, flat network, sizes of pairs",
        "The flat network: alltoallv, gatherv and scatterv with generic.json; only the two ends of "
        "a block know its size.",
        "The mean of a pair is given; all pairs have it (even), or 0 to twice as much (uniform), "
        "or 1/4 to 16 times as much, half of them 1/4 (powers), or 5 % of them have it and the "
        "others nothing (sparse). AnyP learns from earlier calls: times are means of the third to "
        "the sixth call on a communicator, one of which exchanges sizes again; the first call is "
        "judged by itself. Peers that SMPI lacks were written from descriptions: MPICH's exchange "
        "without empty messages, and TuNA, which no library has (Fan, Domke, Ba, Kumar). From 150 "
        "ranks on only these are simulated."),
    "sim-nodes-pairs": Source(
        "Simulated, nodes with one card, sizes of pairs",
        "The same for nodes with one card.",
        "TuNA also has two layers there, if all nodes have the same number of ranks."),
    "sim-flat-uneven": Source(
        "Simulated, flat network, uneven blocks",
        "The flat network, but blocks of very different sizes.",
        "reduce_scatter@one: one rank has all of the result; half: one has half, the others the "
        "rest evenly; powers: each has half as much as the one before it; linear: sizes grow by "
        "the same from each rank to the next. The bound has the least volume of the rank that must "
        "send or receive most: all but the smallest block."),
    "sim-flat-untuned": Source(
        "Simulated, flat network, p that were not tuned",
        "p for which the decision file was not tuned: AnyP with it, against AnyP with a file that "
        "was tuned for just these p."),
    "sim-nodes-untuned": Source(
        "Simulated, nodes with one card, shapes that were not tuned",
        "The same for shapes of nodes.",
        "Two have other ranks per node than any shape that was tuned, one has nodes of different "
        "sizes."),
    **{f"sim-{network}-between{moves}": Source(
        f"Simulated, {title}, sizes between the tuned ones{', what moves data' if moves else ''}",
        "Sizes for which the decision file was not tuned, drawn at random between those for which "
        "it was: AnyP with it, against AnyP with a file that was tuned for just these sizes and "
        + ("shapes." if network == "nodes" else "p."),
        # one remark is for all four, and for p that were not tuned
        "Between the measured sizes the file follows closed forms, corrected by their errors at "
        "the nearest ones. Some p or shapes were not tuned, either."
        if (network, moves) == ("flat", "") else "")
       for network, title in (("flat", "flat network"), ("nodes", "nodes with one card"))
       for moves in ("", "-moves")},
    **{f"sim-{network}-generic": Source(
        f"Simulated, {title}, generic.json",
        "The same with generic.json, the decision file for machines that nobody has tuned.")
       for network, title in (
           ("flat", "flat network"), ("flat-eager", "flat network, every message eager"),
           ("flat-late", "flat network, late ranks"), ("tree", "fat tree"),
           ("nodes", "nodes with one card"), ("cards", "nodes with two cards"))},
    "netlab": Source(
        "Emulated cluster, real MPICH",
        "Real time: a network namespace for each rank, and a switch between them that limits rates "
        "and delays packets.",
        "MPICH with AnyP inside: its own algorithms, untouched, without a decision file, and "
        "AnyP's with one that was tuned in this network. Messages of any size are sent at once. "
        "Times count from the moment at which all ranks should begin; on a machine with few cores "
        "some begin later. With several messages at once a call needs fewer latencies than the "
        "bound has. With hindsight: the fastest in each cell of MPICH's own choice and of its "
        "single algorithms that are right for the operator.", command="make bench-netlab"),
    "netlab-5.0": Source(
        "Emulated cluster, MPICH 5.0",
        "The same with MPICH 5.0, which has many more algorithms of its own: recursive exchange, "
        "multiplying and others with a parameter k, and trees.",
        "Each was timed for k = 2, 3, 4, 5, 7, 8 and 13, trees as knomial_1 and kary. Not measured "
        "by default: DIR is where that release was installed by maint/build-mpich --mpich.",
        command="make bench-netlab BENCH_OPTIONS='--prefix DIR'"),
    "netlab-nodes": Source(
        "Emulated cluster, nodes with one card",
        "The same with MPICH 4.0 on nodes of four ranks, which share a namespace, a port of the "
        "switch and its rate.",
        "Messages inside a node are as fast as this machine. MPICH and AnyP know the nodes. The "
        "bound is ceil(log2 n) latencies for n nodes and the least volume through a port.",
        command="make bench-netlab"),
    "netlab-moves": Source(
        "Emulated cluster, what moves data",
        "The emulated cluster of ranks, each a node: bcast, allgather and alltoall.",
        "AnyP's decision file was tuned for these; bytes are those of all blocks together. As "
        "above, algorithms of MPICH's that are right are measured with hindsight.",
        command="make bench-netlab"),
    "netlab-queues": Source(
        "Emulated cluster, short queues",
        "The emulated cluster of ranks, each a node, with room for 20 KB at each port of the "
        "switch, which loses packets of 1500 bytes above that: alltoall of 16 KiB to each rank.",
        "AnyP's decision file is that for machines that were not tuned. TCP repeats a lost packet, "
        "often after 200 ms.",
        command="test/netlab/run --queues"),
    "netlab-forms": Source(
        "Emulated cluster, nonblocking and persistent",
        "The emulated cluster of ranks, each a node: MPI_Allreduce, MPI_Iallreduce with MPI_Wait, "
        "MPI_Start with MPI_Wait of a persistent request, and a nonblocking call beside work.",
        "AnyP's algorithm is that of the decision file for the blocking call, forced for all "
        "forms. The work takes as long as the call by itself, and calls MPI_Test every 100 us "
        "(\"overlap\") or never (\"untested\"); it is sleep, which leaves the processor to other "
        "ranks. All ways take turns in one run.",
        command="make bench-netlab"),
    "netlab-plugin-forms": Source(
        "Emulated cluster, nonblocking and persistent, plug-in",
        "The same forms and network, with AnyP's plug-in in front of that MPICH.",
        command="test/netlab/run --forms --plug-in --procs 13,24"),
    **{f"node-{name}": Source(
        f"One node, {title}",
        f"{library} unmodified, and AnyP's plug-in with a file tuned for this machine, taking "
        "turns in one run; medians with 95 % intervals.",
        "The library is called without the plug-in, so the time that the plug-in takes to forward "
        "a call counts against AnyP. AnyP's ranks read each other's memory, except those that say "
        "\"by messages\". A call of more processes than cores takes several turns of the "
        "operating system's scheduler." if name == "mpich" else "", command="make bench-node")
       for name, title, library in (
           ("mpich", "MPICH", "MPICH"),
           ("openmpi", "Open MPI", "Open MPI"),
           ("openmpi-sm", "Open MPI's coll_sm",
            "Open MPI with its collectives over shared memory"))},
    **{f"node-{name}-nonblocking": Source(
        f"One node, {library}, nonblocking",
        f"MPI_Iallreduce with MPI_Wait and its kin: {library} unmodified, and AnyP's plug-in with "
        "a file tuned for these calls, taking turns in one run; medians with 95 % intervals.",
        command="test/bench/node --nonblocking")
       for name, library in (("mpich", "MPICH"), ("openmpi", "Open MPI"))},
    "pair-forms": Source(
        "Two processes, nonblocking and persistent",
        "These forms in an MPICH with AnyP inside, over shared memory on two cores.",
        "DIR is where maint/build-mpich --device ch3:nemesis has installed. Both libraries are "
        "that MPICH: with its own choice, and with AnyP's algorithm of a tuned file, forced.",
        command="test/bench/forms --prefix DIR"),
    **{f"plugin-{name}-forms": Source(
        f"Two processes, nonblocking and persistent, plug-in and {library}",
        f"These forms of {library}, unmodified, and of AnyP's plug-in in front of it, over shared "
        "memory on two cores.",
        "The work beside a call takes as long as the call by itself, and calls MPI_Test every "
        "10 us (\"overlap\") or never (\"untested\"). The processors copy the data themselves, so "
        "such a call can hide only the time in which it waits for the other process."
        if name == "mpich" else "", command=f"test/bench/forms --plug-in {name}")
       for name, library in (("mpich", "MPICH"), ("openmpi", "Open MPI"))},
}
