/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI: MPI_Allreduce by the ring algorithm reads and writes beyond the end of its own buffer,
 * if the data of the datatype begin behind its lower bound (a true lower bound above 0).
 *
 * The buffer for a block has the true extent of the last element, but the message is received at
 * the beginning of the buffer as if it had the gap in front of its first element. So the last
 * elements lie behind the end by the size of this gap.
 *
 * Releases: 4.1.4, measured; later releases were not examined
 *
 *   mpiexec -n 3 ./ring-allreduce
 *
 * The program forces the algorithm (coll_tuned_allreduce_algorithm 4). Open MPI chooses it for long
 * vectors. The operator looks where its operands are: the program's malloc records the blocks that
 * the library allocates. (With the GNU C library only.)
 */
#include "fault.h"

enum { COUNT = 1000, GAP = 96, EXTENT = GAP + sizeof(int), MOST = 256 };

#ifdef __GLIBC__
void *__libc_malloc(size_t size);

static struct { char *begin, *end; } blocks[MOST];
static int number, records;
static long beyond;             /* bytes */

void *malloc(size_t bytes)
{
    char *block = __libc_malloc(bytes);
    if (records && block)
        blocks[number++ % MOST].begin = block, blocks[(number - 1) % MOST].end = block + bytes;
    return block;
}

/* Notes how far the last of the elements ends behind the block in which the first begins. */
static void look(const char *operand, int count)
{
    const char *first = operand + GAP, *end = operand + (long) count * EXTENT;
    for (int i = number - 1; i >= 0 && i > number - MOST; i--)
        if (operand >= blocks[i % MOST].begin && first < blocks[i % MOST].end) {
            const long over = end - blocks[i % MOST].end;
            beyond = over > beyond ? over : beyond;
            return;
        }
}

/* The number in element i of a vector. */
static int *number_of(void *vector, int i)
{
    return (int *) ((char *) vector + (long) i * EXTENT + GAP);
}

static void add(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void) type;
    look(left, *count);
    look(right, *count);
    for (int i = 0; i < *count; i++)
        *number_of(right, i) += *number_of(left, i);
}
#endif

int main(void)
{
#ifdef __GLIBC__
    static int in[COUNT * EXTENT / sizeof(int)], out[COUNT * EXTENT / sizeof(int)];
    const int one = 1;
    const MPI_Aint place = GAP;
    int wrong = 0;
    char what[120];
    MPI_Datatype with_gap, type;
    MPI_Op op;
    set_variable("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    set_variable("OMPI_MCA_coll_tuned_allreduce_algorithm", "4");
    begin(3);
    MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &with_gap);
    MPI_Type_create_resized(with_gap, 0, EXTENT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < COUNT; i++)
        *number_of(in, i) = rank + i;
    expect_crash();
    records = 1;
    MPI_Allreduce(in, out, COUNT, type, op, MPI_COMM_WORLD);
    records = 0;
    for (int i = 0; i < COUNT; i++)
        wrong |= *number_of(out, i) != size * (size - 1) / 2 + size * i;
    snprintf(what, sizeof what, "MPI_Allreduce: an operand ends %ld bytes behind its buffer%s",
             beyond, wrong ? ", and sums are wrong" : "");
    verdict(wrong || beyond > 0, what);
#else
    cannot_run("it needs the GNU C library");
#endif
}
