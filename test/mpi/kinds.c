/* SPDX-License-Identifier: BSD-3-Clause */
#include "kinds.h"
#include "library.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 64, PATTERN = 0xA5 };

/* splitmix64: every rank can compute the data of every other one. */
static uint32_t number(int rank, int64_t index, int word)
{
    uint64_t x = (uint64_t) rank * 0x9E3779B97F4A7C15u + (uint64_t) index * 0xD1B54A32D192ED03u +
        (uint64_t) word + 1;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (uint32_t) (x >> 32);
}

/* ---- values and operators ---- */

static void value_words(int rank, int64_t index, uint32_t *words)
{
    for (int i = 0; i < KIND_WORDS; i++)
        words[i] = number(rank, index, i);
}

/* Few different values, so that equal ones meet; the place is the rank. */
static void value_located(int rank, int64_t index, uint32_t *words)
{
    words[0] = number(rank, index, 0) % 4;
    words[1] = (uint32_t) rank;
}

static void value_located_double(int rank, int64_t index, uint32_t *words)
{
    const double value = number(rank, index, 0) % 4 / 8.0;
    memcpy(words, &value, sizeof value);
    words[2] = (uint32_t) rank;
}

/* Different magnitudes, so that the order of a sum shows in its bits. */
static void value_float(int rank, int64_t index, uint32_t *words)
{
    const float value = ((float) number(rank, index, 0) + 1) /
        (float) (1u << number(rank, index, 1) % 16);
    memcpy(words, &value, sizeof value);
}

/* What MAX and MIN must choose from alike everywhere in a vector. */
static const float extremes[] = { 0.0f, -0.0f, NAN, -NAN, 1.5f, -1.5f };

enum { EXTREMES = sizeof extremes / sizeof extremes[0] };

static void value_extreme_float(int rank, int64_t index, uint32_t *words)
{
    memcpy(words, &extremes[number(rank, index, 0) % EXTREMES], sizeof *extremes);
}

static void value_extreme_double(int rank, int64_t index, uint32_t *words)
{
    const double value = (double) extremes[number(rank, index, 0) % EXTREMES];
    memcpy(words, &value, sizeof value);
}

/* A matrix of determinant 1, so that no product loses information. */
static void value_matrix(int rank, int64_t index, uint32_t *words)
{
    const uint32_t a = number(rank, index, 0), b = number(rank, index, 1);
    words[0] = 1;
    words[1] = a;
    words[2] = b;
    words[3] = 1 + a * b;
}

/* x -> odd * x + number */
static void value_affine(int rank, int64_t index, uint32_t *words)
{
    words[0] = number(rank, index, 0) | 1;
    words[1] = number(rank, index, 1);
}

/* Both signs and 60 orders of magnitude, in both parts. */
static void value_wide(int rank, int64_t index, uint32_t *words)
{
    for (int i = 0; i < 4; i += 2) {
        const double mantissa = (double) number(rank, index, i) - 2147483648.5;
        const double value = mantissa * pow(10, (int) (number(rank, index, i + 1) % 61) - 30 - 9);
        memcpy(words + i, &value, sizeof value);
    }
}

static void sum(const uint32_t *left, uint32_t *right)
{
    right[0] += left[0];
}

/* Any other bracketing or order gives another result; MPI is told that it commutes. */
static void mix(const uint32_t *left, uint32_t *right)
{
    right[0] = 3 * left[0] + 5 * right[0];
}

static void sum_two(const uint32_t *left, uint32_t *right)
{
    right[0] += left[0];
    right[1] += left[1];
}

static void max(const uint32_t *left, uint32_t *right)
{
    if ((int32_t) left[0] > (int32_t) right[0])
        right[0] = left[0];
}

static void minloc(const uint32_t *left, uint32_t *right)
{
    if ((int32_t) left[0] < (int32_t) right[0] || (left[0] == right[0] && left[1] < right[1]))
        memcpy(right, left, 2 * sizeof *left);
}

static void maxloc(const uint32_t *left, uint32_t *right)
{
    double l, r;
    memcpy(&l, left, sizeof l);
    memcpy(&r, right, sizeof r);
    if (l > r || (l == r && left[2] < right[2]))
        memcpy(right, left, 3 * sizeof *left);
}

static void sum_float(const uint32_t *left, uint32_t *right)
{
    float l, r;
    memcpy(&l, left, sizeof l);
    memcpy(&r, right, sizeof r);
    r += l;
    memcpy(right, &r, sizeof r);
}

/* Where neither is larger, the left operand. */
static void max_float(const uint32_t *left, uint32_t *right)
{
    float l, r;
    memcpy(&l, left, sizeof l);
    memcpy(&r, right, sizeof r);
    if (!(r > l))
        memcpy(right, left, sizeof l);
}

static void min_double(const uint32_t *left, uint32_t *right)
{
    double l, r;
    memcpy(&l, left, sizeof l);
    memcpy(&r, right, sizeof r);
    if (!(r < l))
        memcpy(right, left, sizeof l);
}

static void sum_complex(const uint32_t *left, uint32_t *right)
{
    double l[2], r[2];
    memcpy(l, left, sizeof l);
    memcpy(r, right, sizeof r);
    r[0] += l[0];
    r[1] += l[1];
    memcpy(right, r, sizeof r);
}

static void product(const uint32_t *left, uint32_t *right)
{
    const uint32_t r[4] = { right[0], right[1], right[2], right[3] };
    right[0] = left[0] * r[0] + left[1] * r[2];
    right[1] = left[0] * r[1] + left[1] * r[3];
    right[2] = left[2] * r[0] + left[3] * r[2];
    right[3] = left[2] * r[1] + left[3] * r[3];
}

static void compose(const uint32_t *left, uint32_t *right)
{
    right[1] = left[0] * right[1] + left[1];
    right[0] = left[0] * right[0];
}

/* ---- the kinds ---- */

#define OVERLAPPING (4 * (ptrdiff_t) KIND_MOST_ELEMENTS)

/* The last columns, type and operator, are made by kinds_open(). */
kind kinds[] = {
    { "int-sum", true, true, false, false, false, 1, { 0 }, 0, 4, value_words, sum, 0, 0 },
    { "int-max", true, true, false, false, false, 1, { 0 }, 0, 4, value_words, max, 0, 0 },
    { "2int-minloc", true, true, false, false, false, 2, { 0, 4 }, 0, 8, value_located,
      minloc, 0, 0 },
    { "double_int-maxloc", true, true, false, false, false, 3, { 0, 4, 8 }, 0, 16,
      value_located_double, maxloc, 0, 0 },
    { "float-sum", true, false, false, false, false, 1, { 0 }, 0, 4, value_float, sum_float, 0, 0 },
    { "matrix", false, true, true, false, false, 4, { 0, 4, 8, 12 }, 0, 16, value_matrix, product,
      0, 0 },
    { "gaps", true, true, true, false, false, 2, { 4, 16 }, 4, 28, value_words, sum_two, 0, 0 },
    { "negative", false, true, true, false, false, 2, { -8, 4 }, -8, 20, value_affine, compose, 0,
      0 },
    { "overlapping", true, true, true, true, false, 2, { 0, OVERLAPPING }, 0, 4, value_words,
      sum_two, 0, 0 },
    { "complex-sum", true, false, false, false, true, 4, { 0, 4, 8, 12 }, 0, 16, value_wide,
      sum_complex, 0, 0 },
    { "float-max", true, true, false, false, true, 1, { 0 }, 0, 4, value_extreme_float, max_float,
      0, 0 },
    { "double-min", true, true, false, false, true, 2, { 0, 4 }, 0, 8, value_extreme_double,
      min_double, 0, 0 },
    { "mix", true, false, true, false, true, 1, { 0 }, 0, 8, value_words, mix, 0, 0 },
};
const int kinds_count = sizeof kinds / sizeof kinds[0];

/* For data that are moved: two words, the same with the second one first, a Fortran integer. */
static kind pair = { "pair", true, true, true, false, false, 2, { 0, 4 }, 0, 8, value_words,
                     sum_two, 0, 0 };
static kind swapped = { "swapped", true, true, true, false, false, 2, { 4, 0 }, 0, 8, value_words,
                        sum_two, 0, 0 };
static kind fortran = { "fortran", true, true, true, false, false, 1, { 0 }, 0, 4, value_words,
                        sum, MPI_DATATYPE_NULL, 0 };

static const kind *kind_of(const char *name)
{
    const kind *k = kinds;
    while (strcmp(k->name, name))
        k++;
    return k;
}

bool kind_is_mixed(const kind *k)
{
    return k == kind_of("gaps");
}

bool kind_moves(const kind *k)
{
    return k == kind_of("int-sum") || k == kind_of("double_int-maxloc") || kind_is_mixed(k);
}

const kind *kind_in_turn(const kind *k, int turn)
{
    const kind *const twins[] = { k, &pair, kind_of("negative"), kind_of("overlapping") };
    return kind_is_mixed(k) ? twins[turn % 4] : k;
}

const kind *kind_of_fortran(void)
{
    return fortran.type == MPI_DATATYPE_NULL ? NULL : &fortran;
}

const kind *kind_of_local(int turn)
{
    return turn % 4 == 3 ? &swapped : kind_in_turn(kind_of("gaps"), turn % 4);
}

const kind *kind_of_words(void)
{
    return kinds;
}

static void get(const kind *k, const char *element, uint32_t *words)
{
    for (int i = 0; i < k->words; i++)
        memcpy(&words[i], element + k->place[i], sizeof words[i]);
}

void kind_set(const kind *k, char *base, int64_t index, const uint32_t *words)
{
    for (int i = 0; i < k->words; i++)
        memcpy(base + index * k->extent + k->place[i], &words[i], sizeof words[i]);
}

/* Of datatypes: their kind. */
static int kind_key;

/* MPI's user function, for any kind: the datatype says which. */
static void user_function(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const kind *k;
    int found;
    MPI_Type_get_attr(*type, kind_key, &k, &found);
    if (!found) {
        fprintf(stderr, "test: the user operator got a datatype that is none of the test's\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    for (ptrdiff_t i = 0; i < *length; i++) {
        uint32_t left[KIND_WORDS], right[KIND_WORDS];
        get(k, (char *) in + i * k->extent, left);
        get(k, (char *) inout + i * k->extent, right);
        k->combine(left, right);
        kind_set(k, inout, i, right);
    }
}

static void make_type(kind *k)
{
    int lengths[KIND_WORDS];
    MPI_Aint places[KIND_WORDS];
    MPI_Datatype types[KIND_WORDS], structure;
    for (int i = 0; i < k->words; i++) {
        lengths[i] = 1;
        places[i] = k->place[i];
        types[i] = MPI_UINT32_T;
    }
    MPI_Type_create_struct(k->words, lengths, places, types, &structure);
    MPI_Type_create_resized(structure, k->low, k->extent, &k->type);
    MPI_Type_free(&structure);
    MPI_Type_commit(&k->type);
    MPI_Type_set_attr(k->type, kind_key, k);
}

MPI_Datatype kind_type(const kind *k, MPI_Aint bytes)
{
    const int one = 1;
    MPI_Datatype behind, type;
    MPI_Type_create_hindexed(1, &one, &bytes, k->type, &behind);
    MPI_Type_create_resized(behind, k->low, k->extent, &type);
    MPI_Type_free(&behind);
    MPI_Type_commit(&type);
    MPI_Type_set_attr(type, kind_key, (void *) k);
    return type;
}

MPI_Op kind_op(const kind *k)
{
    MPI_Op op;
    MPI_Op_create(user_function, k->commutative, &op);
    return op;
}

/* A library without Fortran has no such datatypes, or not the function. SMPI's ends the process. */
static void make_fortran(void)
{
    int (*make)(int, MPI_Datatype *);
    MPI_Datatype integer = MPI_DATATYPE_NULL;
    int size = 0;
    *(void **) &make = dlsym(RTLD_DEFAULT, "MPI_Type_create_f90_integer");
    if (!make || library_is("SMPI") || make(9, &integer) || integer == MPI_DATATYPE_NULL ||
        MPI_Type_size(integer, &size) || size != 4)
        return;
    MPI_Type_contiguous(1, integer, &fortran.type);
    MPI_Type_commit(&fortran.type);
}

void kinds_open(void)
{
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &kind_key, NULL);
    MPI_Type_contiguous(2, MPI_UINT32_T, &pair.type);
    MPI_Type_commit(&pair.type);
    make_type(&swapped);
    make_fortran();
    static const struct {
        void (*combine)(const uint32_t *, uint32_t *);
        MPI_Datatype type;
        MPI_Op op;
    } built_in[] = {
        { sum, MPI_INT, MPI_SUM },
        { max, MPI_INT, MPI_MAX },
        { minloc, MPI_2INT, MPI_MINLOC },
        { maxloc, MPI_DOUBLE_INT, MPI_MAXLOC },
        { sum_float, MPI_FLOAT, MPI_SUM },
        { max_float, MPI_FLOAT, MPI_MAX },
        { min_double, MPI_DOUBLE, MPI_MIN },
        { sum_complex, MPI_C_DOUBLE_COMPLEX, MPI_SUM },
    };
    for (kind *k = kinds; k < kinds + kinds_count; k++) {
        if (k->user) {
            make_type(k);
            k->op = kind_op(k);
            continue;
        }
        for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++)
            if (built_in[i].combine == k->combine) {
                k->type = built_in[i].type;
                k->op = built_in[i].op;
            }
    }
}

void kinds_close(void)
{
    MPI_Type_free(&pair.type);
    MPI_Type_free(&swapped.type);
    if (fortran.type != MPI_DATATYPE_NULL)
        MPI_Type_free(&fortran.type);
    for (kind *k = kinds; k < kinds + kinds_count; k++)
        if (k->user) {
            MPI_Type_free(&k->type);
            MPI_Op_free(&k->op);
        }
    MPI_Type_free_keyval(&kind_key);
}

/* ---- vectors ---- */

void vector_open(vector *v, const kind *k, int64_t elements)
{
    ptrdiff_t high = 0;
    for (int i = 0; i < k->words; i++)
        high = k->place[i] + 4 > high ? k->place[i] + 4 : high;
    if (k->low + k->extent > high)
        high = k->low + k->extent;
    v->kind = k;
    v->elements = elements;
    v->size = (size_t) (elements > 0 ? high - k->low + (elements - 1) * k->extent : 0) + 2 * MARGIN;
    v->memory = malloc(v->size);
    if (!v->memory) {
        fprintf(stderr, "test: no memory for %lld elements\n", (long long) elements);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    v->base = v->memory + MARGIN - k->low;
    vector_clear(v);
}

void vector_clear(vector *v)
{
    memset(v->memory, PATTERN, v->size);
}

void vector_close(vector *v)
{
    free(v->memory);
    v->memory = NULL;
}

void vector_set(vector *v, int64_t index, const uint32_t *words)
{
    kind_set(v->kind, v->base, index, words);
}

void vector_get(const vector *v, int64_t index, uint32_t *words)
{
    get(v->kind, v->base + index * v->kind->extent, words);
}

void vector_fill(vector *v, int rank, int64_t first)
{
    uint32_t words[KIND_WORDS];
    for (int64_t i = 0; i < v->elements; i++) {
        v->kind->value(rank, first + i, words);
        vector_set(v, i, words);
    }
}

ptrdiff_t vector_compare(const vector *one, const vector *other)
{
    if (!memcmp(one->memory, other->memory, one->size))
        return -1;
    size_t i = 0;
    while (one->memory[i] == other->memory[i])
        i++;
    return (ptrdiff_t) i;
}

/* Ranks first .. first + count - 1, by the tree of schedule/bracketing.h. */
static void reduce_by_halves(const kind *k, int first, int count, int64_t index, uint32_t *words)
{
    uint32_t left[KIND_WORDS];
    if (count == 1) {
        k->value(first, index, words);
        return;
    }
    const int half = (count + 1) / 2;
    reduce_by_halves(k, first, half, index, left);
    reduce_by_halves(k, first + half, count - half, index, words);
    k->combine(left, words);
}

static void reduce_from_left(const kind *k, int p, int64_t index, uint32_t *words)
{
    uint32_t right[KIND_WORDS];
    k->value(0, index, words);
    for (int rank = 1; rank < p; rank++) {
        k->value(rank, index, right);
        k->combine(words, right);
        memcpy(words, right, sizeof right);
    }
}

uint32_t *reference(const kind *k, int p, int64_t elements, bool reproducible)
{
    uint32_t *result = malloc(((size_t) elements * (size_t) k->words + 1) * sizeof *result);
    if (!result) {
        fprintf(stderr, "test: no memory for the reference\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int64_t i = 0; i < elements; i++) {
        uint32_t words[KIND_WORDS];
        if (reproducible)
            reduce_by_halves(k, 0, p, i, words);
        else
            reduce_from_left(k, p, i, words);
        memcpy(result + i * k->words, words, (size_t) k->words * sizeof *result);
    }
    return result;
}
