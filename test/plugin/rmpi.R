# SPDX-License-Identifier: BSD-3-Clause
#
# rmpi.R - Rmpi's collectives; the last rank writes what it has received
suppressMessages(library(Rmpi))
p <- mpi.comm.size(0)
rank <- mpi.comm.rank(0)
last <- p - 1

# The value is that of a call of MPI, so all ranks compute it.
show <- function(what, value) {
    force(value)
    if (rank == last) cat(what, format(value, digits = 15), "\n")
}
# Where each element is.
digest <- function(x) sum(x * seq_along(x))
# A buffer of the root, and of the others.
at <- function(root, values) if (rank == root) as.double(values) else double(1)

for (n in c(1, 7, 1000, 20001)) {
    x <- as.double((rank + 1) * seq_len(n))
    i <- as.integer((seq_len(n) * 7L + rank * 3L) %% 11L)
    counts <- as.integer((seq_len(p) * 2L) %% 5L * n)
    mine <- as.double(seq_len(counts[rank + 1]) + rank)
    show("bcast", digest(mpi.bcast(x, 2, rank = 0, comm = 0)))
    show("allreduce", digest(mpi.allreduce(x, 2, op = "sum", comm = 0)))
    show("allreduce", digest(mpi.allreduce(i, 1, op = "max", comm = 0)))
    show("reduce", digest(mpi.reduce(x, 2, op = "prod", dest = last, comm = 0)))
    show("reduce", unlist(mpi.reduce(i[1], 1, op = "maxloc", dest = last, comm = 0)))
    show("allgather", digest(mpi.allgather(x, 2, double(n * p), comm = 0)))
    show("allgatherv", digest(mpi.allgatherv(mine, 2, double(sum(counts)), counts, comm = 0)))
    show("gather", digest(mpi.gather(x, 2, at(last, double(n * p)), root = last, comm = 0)))
    show("gatherv", digest(mpi.gatherv(mine, 2, at(last, double(sum(counts))), counts, root = last,
                                       comm = 0)))
    show("scatter", digest(mpi.scatter(at(0, seq_len(n * p)), 2, double(n), root = 0, comm = 0)))
    show("scatterv", digest(mpi.scatterv(at(0, seq_len(sum(counts))), counts, 2,
                                         double(counts[rank + 1]), root = 0, comm = 0)))
}
root_only <- function(value) if (rank == 0) value
show("bcast.Robj", unlist(mpi.bcast.Robj(root_only(list(1:5, "text", pi)), rank = 0, comm = 0)))
show("allgather.Robj", unlist(mpi.allgather.Robj(list(rank, letters[rank + 1]), comm = 0)))
show("gather.Robj", unlist(mpi.gather.Robj(rank^2, root = last, comm = 0)))
show("scatter.Robj", mpi.scatter.Robj(root_only(as.list(seq_len(p) * 10)), root = 0, comm = 0))
invisible(mpi.barrier(0))
mpi.quit()
