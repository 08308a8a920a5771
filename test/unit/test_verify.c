/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_verify.c - the verifier finds each kind of error in hand-made schedules, and passes right
 * ones. Tested before it is trusted with the algorithms.
 */
#include "unit/common.h"

#include "analysis/verify.h"
#include "schedule/memory.h"

#include <string.h>

enum { MOST_RANKS = 4 };

typedef struct example {
    const char *what;
    anyp_collective collective;
    int p, root, blocks;
    bool in_place, commutative;
    unsigned properties;
    const char *texts[MOST_RANKS];
    const char *reason;         /* a part of the verifier's reason; NULL: the set is right */
} example;

#define AR .collective = ANYP_ALLREDUCE
#define RD .collective = ANYP_REDUCE
#define RS .collective = ANYP_REDUCE_SCATTER_BLOCK
#define ORDER .properties = ANYP_CANONICAL
#define ALIKE .properties = ANYP_SAME_BRACKETING
#define ANY .commutative = true

/* Rank 1's part of the right allreduce of two ranks, for examples that break rank 0's. */
#define RANK_1 "<0 A0-2 >0 I0-2 =I0-2 O0-2 +A0-2 O0-2"

static const example right[] = {
    { "one rank", AR, .p = 1, .blocks = 1, ORDER, .texts = { "=I0-1 O0-1" } },
    { "one rank in place", AR, .p = 1, .blocks = 3, .in_place = true, ORDER, .texts = { "" } },
    { "exchange", AR, .p = 2, .blocks = 2, ORDER | ANYP_SAME_BRACKETING, .texts = {
      ">1 I0-2 <1 O0-2 +I0-2 O0-2", RANK_1 } },
    { "exchange in place", AR, .p = 2, .blocks = 2, .in_place = true, ORDER, .texts = {
      ">1 O0-2 <1 A0-2 +O0-2 A0-2 =A0-2 O0-2", "<0 A0-2 >0 O0-2 +A0-2 O0-2" } },
    { "several copies of the vector", AR, .p = 2, .blocks = 2, ORDER, .texts = {
      "=I0-2 A2-4 =I0-1 A4-5 | >1 A3-5 <1 B3-5 +A3-5 B3-5 =B3-4 O1-2 =B4-5 O0-1",
      "=I0-2 A0-2 =I0-1 A2-3 | >0 A1-3 <0 B5-7 +B5-7 A1-3 =A1-2 O1-2 =A2-3 O0-1" } },
    { "pieces", AR, .p = 2, .blocks = 2, ORDER, .texts = {
      ">1 I0-1 <1 O0-2 >1 I1-2 +I0-2 O0-2", "<0 A0-1 <0 A1-2 >0 I0-2 =I0-2 O0-2 +A0-2 O0-2" } },
    { "reduce to rank 1", RD, .p = 3, .root = 1, .blocks = 1, ORDER, .texts = {
      ">1 I0-1", "=I0-1 B0-1 | <0 A0-1 <2 O0-1 +A0-1 B0-1 +B0-1 O0-1", ">1 I0-1" } },
    { "reduce in place", RD, .p = 2, .root = 1, .blocks = 1, .in_place = true, ORDER, .texts = {
      ">1 I0-1", "<0 A0-1 +A0-1 O0-1" } },
    { "operands exchanged", RD, .p = 4, .blocks = 2, ANY, ORDER | ANYP_SAME_BRACKETING, .texts = {
      "<1 A0-2 <2 B0-2 <3 O0-2 +A0-1 B0-1 +B0-1 O0-1 +I0-1 O0-1 +B1-2 A1-2 +A1-2 O1-2 +I1-2 O1-2",
      ">0 I0-2", ">0 I0-2", ">0 I0-2" } },
    { "any order", RD, .p = 3, .blocks = 1, ANY, .texts = {
      "<2 A0-1 <1 O0-1 +I0-1 A0-1 +A0-1 O0-1", ">0 I0-1", ">0 I0-1" } },
    { "reduce-scatter", RS, .p = 2, .blocks = 2, ANY, .texts = {
      ">1 I1-2 <1 O0-1 +I0-1 O0-1", ">0 I0-1 <0 O1-2 +I1-2 O1-2" } },
    { "reduce-scatter in place", RS, .p = 2, .blocks = 2, .in_place = true, ORDER, .texts = {
      ">1 I1-2 <1 A0-1 +I0-1 A0-1 =A0-1 O0-1",
      ">0 I0-1 <0 A1-2 =I1-2 B1-2 +A1-2 B1-2 =B1-2 O1-2" } },
    { "scratch in another order", AR, .p = 2, .blocks = 3, ORDER, .texts = {
      "@2 0 1 =I2-3 A0-1 =I0-2 A1-3 | >1 A0-3 <1 B3-4 <1 B4-6 +A0-3 B3-6 =B3-4 O2-3 =B4-6 O0-2",
      "@2 0 1 <0 A0-3 >0 I2-3 >0 I0-2 =I2-3 B0-1 =I0-2 B1-3 +A0-3 B0-3 =B0-1 O2-3 =B1-3 O0-2" } },
    { "reduce-scatter of one rank in place", RS, .p = 1, .blocks = 1, .in_place = true, ORDER,
      .texts = { "=I0-1 O0-1" } },
};

static const example wrong[] = {
    /* each rank by itself */
    { "no such peer", AR, .p = 2, .blocks = 2, .texts = { ">2 I0-2", RANK_1 },
      .reason = "rank 0, step 0: its peer 2 is no other rank" },
    { "negative peer", AR, .p = 2, .blocks = 2, .texts = { ">-1 I0-2", RANK_1 },
      .reason = "its peer -1 is no other rank" },
    { "message to itself", AR, .p = 2, .blocks = 2, .texts = { "<0 A0-1 >0 I0-1", RANK_1 },
      .reason = "its peer 0 is no other rank" },
    { "beyond the end of IN", AR, .p = 2, .blocks = 2, .texts = { ">1 I0-3", RANK_1 },
      .reason = "rank 0, round 0, step 0: blocks 0 to 3 of IN, which has 0 to 2" },
    { "beyond the end of OUT", AR, .p = 2, .blocks = 2, .texts = { ">1 I0-2 <1 O1-3", RANK_1 },
      .reason = "rank 0, round 0, step 1: blocks 1 to 3 of OUT" },
    { "before the start", AR, .p = 2, .blocks = 2, .texts = { ">1 I-1-1", RANK_1 },
      .reason = "blocks -1 to 1 of IN" },
    { "scratch that is not there", AR, .p = 2, .blocks = 2, .texts = { ">1 A0-2", RANK_1 },
      .reason = "blocks 0 to 2 of scratch, which has 0 to 0" },
    { "outside of scratch", AR, .p = 2, .blocks = 2, .texts = { "=I0-1 A4-5 | >1 A3-5", RANK_1 },
      .reason = "rank 0, round 1, step 1: blocks 3 to 5 of scratch, which has 4 to 5" },
    { "receives into IN", AR, .p = 2, .blocks = 2, .texts = { "<1 I0-2", RANK_1 },
      .reason = "writes IN" },
    { "reduces into IN", AR, .p = 2, .blocks = 2, .texts = { "<1 O0-2 +O0-2 I0-2", RANK_1 },
      .reason = "rank 0, round 0, step 1: writes IN" },
    { "copies into IN", AR, .p = 2, .blocks = 2, .texts = { "<1 O0-2 =O0-2 I0-2", RANK_1 },
      .reason = "writes IN" },
    { "IN in place", AR, .p = 1, .blocks = 2, .in_place = true, .texts = { "=I0-2 O0-2" },
      .reason = "of IN, which has 0 to 0" },
    { "the root's IN in place", RD, .p = 2, .root = 1, .blocks = 1, .in_place = true,
      .texts = { ">1 I0-1", "<0 A0-1 +I0-1 A0-1 =A0-1 O0-1" },
      .reason = "rank 1, round 0, step 1: blocks 0 to 1 of IN" },
    { "OUT of one that is not the root", RD, .p = 2, .root = 1, .blocks = 1,
      .texts = { "=I0-1 O0-1 | >1 O0-1", "<0 A0-1 =I0-1 O0-1 +A0-1 O0-1" },
      .reason = "rank 0, round 0, step 0: blocks 0 to 1 of OUT, which has 0 to 0" },
    { "another rank's OUT", RS, .p = 2, .blocks = 2, ANY, .texts = {
      ">1 I1-2 <1 O0-1 +I0-1 O0-1", ">0 I0-1 <0 O0-1 +I0-1 O0-1" },
      .reason = "rank 1, round 0, step 1: blocks 0 to 1 of OUT, which has 1 to 2" },
    { "blocks that are not one per rank", RS, .p = 2, .blocks = 3, ANY, .texts = { "", "" },
      .reason = "3 blocks for 2 ranks" },
    { "reduction of other lengths", AR, .p = 2, .blocks = 2,
      .texts = { ">1 I0-2 <1 O0-2 +I0-1 O0-2", RANK_1 }, .reason = "not the same blocks" },
    { "reduction of other blocks", AR, .p = 2, .blocks = 2,
      .texts = { ">1 I0-2 <1 O0-2 +I0-1 O1-2", RANK_1 }, .reason = "not the same blocks" },
    { "copy of other blocks", AR, .p = 2, .blocks = 3,
      .texts = { ">1 I0-3 <1 A0-3 =A0-2 B2-4", RANK_1 },
      .reason = "blocks 0 to 2 onto 2 to 4 of 3: not the same blocks" },
    { "reduction onto itself", AR, .p = 2, .blocks = 2,
      .texts = { ">1 I0-2 <1 O0-2 +O0-2 O0-2", RANK_1 },
      .reason = "rank 0, round 0, step 2: source and destination overlap" },
    { "copy onto itself", AR, .p = 2, .blocks = 1,
      .texts = { "=I0-1 A0-1 =I0-1 A1-2 =I0-1 A2-3 =A0-2 A1-3", RANK_1 },
      .reason = "source and destination overlap" },
    { "reduction where data are moved", .collective = ANYP_ALLTOALL, .p = 2, .blocks = 2, ANY,
      .texts = { "=I0-2 O0-2 +I0-1 O0-1", "" }, .reason = "step 1: reduces, in a collective" },
    { "message after a local step", AR, .p = 2, .blocks = 2,
      .texts = { "=I0-2 A0-2 >1 A0-2 <1 O0-2 +I0-2 O0-2", RANK_1 },
      .reason = "rank 0, round 0, step 1: a message after a local step" },
    { "receives onto what it sends", AR, .p = 2, .blocks = 2, .in_place = true,
      .texts = { ">1 O0-2 <1 O1-2 <1 A0-1", "<0 A0-2 >0 O1-2 >0 O0-1 +A0-2 O0-2" },
      .reason = "rank 0, round 0, step 0: sends what its round receives onto" },
    { "two messages onto one place", AR, .p = 3, .blocks = 2,
      .texts = { "<1 A0-2 <2 A1-2", ">0 I0-2", ">0 I1-2" },
      .reason = "rank 0, round 0, step 1: receives onto another message" },
    { "IN after OUT in place", RS, .p = 2, .blocks = 2, .in_place = true, ANY, .texts = {
      ">1 I1-2 <1 O0-1 | +I0-1 O0-1", ">0 I0-1 <0 A1-2 +I1-2 A1-2 =A1-2 O1-2" },
      .reason = "rank 0, round 0, step 0: reads IN, where OUT has been written" },
    { "IN after OUT was copied in place", RS, .p = 2, .blocks = 2, .in_place = true, ANY, .texts = {
      "<1 A0-1 +I0-1 A0-1 =A0-1 O0-1 | >1 I1-2", ">0 I0-1 | <0 A1-2 +I1-2 A1-2 =A1-2 O1-2" },
      .reason = "rank 0, round 1, step 3: reads IN, where OUT has been written" },
    { "IN onto OUT in place", RS, .p = 2, .blocks = 2, .in_place = true, ANY, .texts = {
      ">1 I1-2 <1 A0-1 +I0-1 A0-1 =A0-1 O0-1", ">0 I0-1 <0 A1-2 | =I1-2 O1-2 +A1-2 O1-2" },
      .reason = "rank 1, round 1, step 2: reads IN, where OUT has been written" },
    { "order of one rank only", AR, .p = 2, .blocks = 2, .texts = {
      "@1 0 >1 I0-2 <1 O0-2 +I0-2 O0-2", RANK_1 },
      .reason = "rank 1: its scratch buffers have another order than rank 0's" },
    { "another order", AR, .p = 2, .blocks = 2, .texts = {
      "@1 0 >1 I0-2 <1 O0-2 +I0-2 O0-2", "@0 1 " RANK_1 },
      .reason = "rank 1: its scratch buffers have another order than rank 0's" },
    { "a block twice in the order", AR, .p = 2, .blocks = 2, .texts = {
      "@0 0 >1 I0-2 <1 O0-2 +I0-2 O0-2", "@0 0 " RANK_1 },
      .reason = "rank 0: its order of 2 blocks has block 0 twice" },
    { "no such block in the order", AR, .p = 1, .blocks = 2, .texts = { "@0 2 =I0-2 O0-2" },
      .reason = "rank 0: its order of 2 blocks has block 2" },
    { "copy into another order", AR, .p = 1, .blocks = 3, .texts = {
      "@2 0 1 =I0-1 A0-1 =A0-1 O0-1 =I1-3 O1-3" },
      .reason = "rank 0, round 0, step 0: blocks 0 to 1 onto 0 to 1 of 3: not the same blocks" },
    { "copy of a run that is none in the order", AR, .p = 1, .blocks = 3, .texts = {
      "@2 0 1 =I0-1 A1-2 =I2-4 A0-2 =I0-3 O0-3" },
      .reason = "step 1: blocks 2 to 4 of IN" },
    { "copy back of a run that is none", AR, .p = 1, .blocks = 3, .texts = {
      "@0 2 1 =I0-1 A0-1 =I1-2 A2-3 =I2-3 A1-2 =A0-2 O0-2" },
      .reason = "step 3: blocks 0 to 2 onto 0 to 2 of 3: not the same blocks" },
    { "message into another order", AR, .p = 2, .blocks = 2, .texts = {
      "@1 0 >1 I0-1 >1 I1-2 <1 O0-2 +I0-2 O0-2", "@1 0 <0 A0-1 <0 A1-2 >0 I0-2" },
      .reason = "rank 0, round 0, step 0: sends blocks 0 to 1 of 2, but rank 1 expects 0 to 1" },
    /* messages */
    { "nobody receives", AR, .p = 2, .blocks = 2, .texts = { ">1 I0-2 <1 O0-2 >1 I0-1", RANK_1 },
      .reason = "rank 0, round 0, step 2: rank 1 never receives this message" },
    { "nobody sends", AR, .p = 3, .blocks = 2, .texts = { "<1 A0-2 <2 B0-2", "", ">0 I0-2" },
      .reason = "rank 0, round 0, step 0: rank 1 never sends this message" },
    { "nobody sends the last", AR, .p = 3, .blocks = 2,
      .texts = { "<1 A0-2 <2 B0-2", ">0 I0-2", "" },
      .reason = "rank 0, round 0, step 1: rank 2 never sends this message" },
    { "wrong receiver", AR, .p = 3, .blocks = 2, .texts = { ">2 I0-2", "<0 A0-2", "" },
      .reason = "rank 1, round 0, step 0: rank 0 never sends this message" },
    { "wrong sender", AR, .p = 3, .blocks = 2, .texts = { "", ">0 I0-2", "<1 A0-2" },
      .reason = "rank 1, round 0, step 0: rank 0 never receives this message" },
    { "fewer pieces", AR, .p = 2, .blocks = 2, .texts = {
      ">1 I0-1 <1 O0-2 | >1 I1-2 +I0-2 O0-2", "<0 A0-1 <0 A1-2 >0 I0-2 =I0-2 O0-2 +A0-2 O0-2" },
      .reason = "rank 0, round 1, step 2: the message to rank 1 has fewer pieces than" },
    { "more pieces", AR, .p = 2, .blocks = 2, .texts = {
      ">1 I0-1 <1 O0-2 >1 I1-2 +I0-2 O0-2", "<0 A0-1 >0 I0-2 | <0 A1-2 =I0-2 O0-2 +A0-2 O0-2" },
      .reason = "rank 0, round 0, step 2: the message to rank 1 has more pieces than" },
    { "messages of other lengths", AR, .p = 2, .blocks = 2, .texts = {
      ">1 I0-1 <1 O0-2 +I0-2 O0-2", RANK_1 },
      .reason = "sends blocks 0 to 1 of 2, but rank 1 expects 0 to 2 in its round 0" },
    { "messages of other blocks", AR, .p = 2, .blocks = 3, .texts = {
      ">1 I0-2 <1 O0-2", "<0 A1-3 >0 I0-2" },
      .reason = "sends blocks 0 to 2 of 3, but rank 1 expects 1 to 3" },
    { "pieces the other way round", AR, .p = 2, .blocks = 2, .texts = {
      ">1 I1-2 >1 I0-1 <1 O0-2 +I0-2 O0-2", "<0 A0-1 <0 A1-2 >0 I0-2 =I0-2 O0-2 +A0-2 O0-2" },
      .reason = "sends blocks 1 to 2 of 2, but rank 1 expects 0 to 1" },
    { "deadlock of two", AR, .p = 2, .blocks = 1, .texts = {
      ">1 I0-1 | <1 O0-1 +I0-1 O0-1", ">0 I0-1 | <0 A0-1 =I0-1 O0-1 +A0-1 O0-1" },
      .reason = "deadlock: rank 0, round 0, step 0: waits for rank 1, which does not get from its "
      "round 0 to round 1" },
    { "deadlock of some", AR, .p = 4, .blocks = 1, .texts = {
      "", ">3 I0-1", "<3 A0-1 | >3 I0-1", "<1 A0-1 | <2 A0-1 | >2 I0-1" },
      .reason = "deadlock: rank 2, round 0, step 0: waits for rank 3, which does not get from its "
      "round 1 to round 2" },
    { "deadlock of a ring", AR, .p = 3, .blocks = 1, .texts = {
      "<2 A0-1 | >1 I0-1", "<0 A0-1 | >2 I0-1", "<1 A0-1 | >0 I0-1" },
      .reason = "deadlock: rank 0, round 0, step 0: waits for rank 2" },
    /* data */
    { "sends what was never written", AR, .p = 2, .blocks = 2, .texts = {
      "=I0-1 O0-1 | >1 O0-2 <1 A0-2", RANK_1 },
      .reason = "rank 0, round 1, step 1: reads block 1 of OUT, which was never written" },
    { "reduces what was never written", AR, .p = 2, .blocks = 2, .texts = {
      ">1 I0-2 <1 A0-2 +O0-2 A0-2", RANK_1 },
      .reason = "rank 0, round 0, step 2: reads block 0 of OUT" },
    { "reduces onto what was never written", AR, .p = 2, .blocks = 2, .texts = {
      ">1 I0-2 <1 A0-2 +A0-2 O0-2", RANK_1 },
      .reason = "rank 0, round 0, step 2: reads block 0 of OUT" },
    { "copies what was never written", AR, .p = 2, .blocks = 2, .texts = {
      ">1 I0-2 <1 A0-2 =I0-1 O0-1 =O0-2 A0-2", RANK_1 },
      .reason = "rank 0, round 0, step 3: reads block 1 of OUT" },
    { "OUT is not the input of a reduce-scatter in place", RS, .p = 1, .blocks = 1,
      .in_place = true, ANY, .texts = { "=O0-1 A0-1" }, .reason = "reads block 0 of OUT" },
    { "no result", AR, .p = 2, .blocks = 2, .texts = {
      ">1 I0-2 <1 O0-1 <1 A1-2 +I0-1 O0-1", "<0 A0-2 >0 I0-1 >0 I1-2 =I0-2 O0-2 +A0-2 O0-2" },
      .reason = "rank 0: block 1 of the result is never written" },
    { "a contribution missing", AR, .p = 2, .blocks = 2, ANY, .texts = {
      ">1 I0-2 <1 O0-2 +I0-1 O0-1", RANK_1 },
      .reason = "rank 0: block 1 of the result has not every contribution exactly once" },
    { "a contribution twice", AR, .p = 2, .blocks = 2, ANY, .texts = {
      ">1 I0-2 <1 O0-2 +I0-2 O0-2 +I1-2 O1-2", RANK_1 },
      .reason = "rank 0: block 1 of the result has not every contribution exactly once" },
    { "the input instead of the sum in place", AR, .p = 2, .blocks = 1, ANY, .in_place = true,
      .texts = { "", "" }, .reason = "rank 0: block 0 of the result has not every contribution" },
    { "wrong order for the operator", RD, .p = 2, .blocks = 1, .texts = {
      "<1 A0-1 =I0-1 O0-1 +A0-1 O0-1", ">0 I0-1" },
      .reason = "rank 0: block 0 of the result is not in rank order" },
    { "wrong order for the claim", RD, .p = 3, .blocks = 1, ANY, ORDER, .texts = {
      "<2 A0-1 <1 O0-1 +I0-1 A0-1 +A0-1 O0-1", ">0 I0-1", ">0 I0-1" },
      .reason = "rank 0: block 0 of the result is not in rank order" },
    { "wrong order of sums", RD, .p = 4, .blocks = 1, .texts = {
      "<3 A0-1 <1 B0-1 <2 O0-1 +I0-1 B0-1 +O0-1 A0-1 +A0-1 B0-1 =B0-1 O0-1", ">0 I0-1", ">0 I0-1",
      ">0 I0-1" }, .reason = "rank 0: block 0 of the result is not in rank order" },
    { "right at its ends only", RD, .p = 4, .blocks = 1, .texts = {
      "<1 A0-1 <2 B0-1 <3 O0-1 +A0-1 O0-1 +B0-1 O0-1 +I0-1 O0-1", ">0 I0-1", ">0 I0-1",
      ">0 I0-1" }, .reason = "not in rank order" },
    { "other order on another rank", AR, .p = 2, .blocks = 2, ANY, .texts = {
      ">1 I0-2 <1 O0-2 +I0-2 O0-2", "<0 O0-2 >0 I0-2 +I0-2 O0-2" },
      .reason = "rank 1: block 0 of the result is not the same sum as on the other ranks" },
    { "other brackets on another rank", AR, .p = 3, .blocks = 1, ORDER, .texts = {
      ">1 I0-1 <1 A0-1 >2 I0-1 <2 O0-1 +A0-1 O0-1 +I0-1 O0-1",
      ">0 I0-1 <0 A0-1 >2 I0-1 <2 O0-1 =I0-1 B0-1 +A0-1 B0-1 +B0-1 O0-1",
      ">0 I0-1 <0 A0-1 >1 I0-1 <1 B0-1 =I0-1 O0-1 +B0-1 O0-1 +A0-1 O0-1" },
      .reason = "rank 1: block 0 of the result is not the same sum as on the other ranks" },
    { "other brackets of another block", RD, .p = 3, .blocks = 2, ORDER | ANYP_SAME_BRACKETING,
      .texts = { "<1 A0-2 <2 O0-2 +A0-1 O0-1 +I0-1 O0-1 +I1-2 A1-2 +A1-2 O1-2", ">0 I0-2",
                 ">0 I0-2" },
      .reason = "rank 0: block 1 of the result is not bracketed as the other blocks" },
    { "other brackets of another block, operands exchanged", RD, .p = 3, .blocks = 2, ANY, ALIKE,
      .texts = { "<1 A0-2 <2 O0-2 +A0-1 O0-1 +I0-1 O0-1 +I1-2 A1-2 +A1-2 O1-2", ">0 I0-2",
                 ">0 I0-2" },
      .reason = "rank 0: block 1 of the result is not bracketed as the other blocks" },
    { "other brackets of another rank's block", RS, .p = 3, .blocks = 3, ALIKE, .texts = {
      ">1 I1-2 >2 I2-3 <1 A0-1 <2 O0-1 +A0-1 O0-1 +I0-1 O0-1",
      ">0 I0-1 >2 I2-3 <0 A1-2 <2 O1-2 =I1-2 B1-2 +B1-2 O1-2 +A1-2 O1-2",
      ">0 I0-1 >1 I1-2 <0 A2-3 <1 B2-3 =I2-3 O2-3 +A2-3 B2-3 +B2-3 O2-3" },
      .reason = "rank 2: block 2 of the result is not bracketed as the other blocks" },
};

#undef AR
#undef RD
#undef RS
#undef ORDER
#undef ALIKE
#undef ANY

static anyp_status verify(const example *e, char *reason, size_t size)
{
    const anyp_call call = { .collective = e->collective, .p = e->p, .root = e->root, .count = 100,
                             .type_size = 8, .commutative = e->commutative,
                             .in_place = e->in_place };
    anyp_schedule *set = set_from_text(e->p, e->blocks, e->texts);
    const anyp_status status = anypi_verify(set, &call, e->properties, reason, size);
    anypi_set_free(set, e->p);
    return status;
}

START_TEST(right_ones_pass)
{
    char reason[300];
    const example *e = &right[_i];
    const anyp_status status = verify(e, reason, sizeof reason);
    assert_often(status == ANYP_SUCCESS, "%s: %s", e->what, reason);
    ck_assert_str_eq(reason, "");
}
END_TEST

START_TEST(wrong_ones_are_found)
{
    char reason[300];
    const example *e = &wrong[_i];
    const anyp_status status = verify(e, reason, sizeof reason);
    assert_often(status == ANYP_ERR_SCHEDULE, "%s: %s", e->what, anyp_status_text(status));
    assert_often(strstr(reason, e->reason) != NULL, "%s: the verifier says \"%s\"", e->what,
                 reason);
    ck_assert_int_eq(verify(e, reason, 0), ANYP_ERR_SCHEDULE);
}
END_TEST

/* Sets that the builder does not make. */
START_TEST(broken_schedules_are_found)
{
    static const char *const texts[] = { ">1 I0-2 <1 O0-2 +I0-2 O0-2", RANK_1 };
    static const char *const reasons[] = {
        "rank 1: the schedule is that of rank 0 of 2",
        "rank 0: the schedule is that of rank 0 of 3",
        "rank 1: 3 blocks, but rank 0 has 2", "rank 0: 0 blocks", "rank 1: 9 scratch buffers",
        "rank 1: scratch buffer 0 holds blocks 3 to 2", "rank 1: scratch buffer 0 holds blocks -2",
        "rank 0: the rounds do not hold the steps", "rank 0: the rounds do not hold the steps",
        "rank 1: the rounds do not hold the steps", "rank 0: round 0 ends before it begins",
        "there is no step of kind 9", "there is no buffer 6", "there is no buffer -1",
        "the slice 2 to 2 is empty", "the slice 2 to 1 is empty",
        "rank 1: scratch buffer 0 has a window of blocks 0 to 3",
        "blocks 0 to 2 of scratch, which has 1 to 2 of each 2",
    };
    const anyp_call call = { .p = 2, .count = 100, .type_size = 8 };
    char reason[300];
    anyp_schedule *set = set_from_text(2, 2, texts);
    int *starts = set[0].round_start, early[] = { 0, -1, 3 };
    ck_assert_int_eq(anypi_verify(set, &call, 0, reason, sizeof reason), ANYP_SUCCESS);
    switch (_i) {
        case 0: set[1].rank = 0; break;
        case 1: set[0].p = 3; break;
        case 2: set[1].blocks = 3; break;
        case 3: set[0].blocks = set[1].blocks = 0; break;
        case 4: set[1].scratch_count = 9; break;
        case 5: set[1].scratch[0].first = 3; break;
        case 6: set[1].scratch[0].first = -2; break;
        case 7: set[0].steps_count = 2; break;
        case 8: set[0].round_start = NULL; break;
        case 9: set[1].round_start[0] = 1; break;
        case 10: set[0].round_start = early; set[0].rounds = 2; break;
        case 11: set[0].steps[0].kind = (anyp_step_kind) 9; break;
        case 12: set[0].steps[0].from.buffer = ANYP_BUFFERS; break;
        case 13: set[0].steps[0].from.buffer = -1; break;
        case 14: set[0].steps[0].from.first = 2; break;
        case 15: set[1].steps[1].from.first = 2; set[1].steps[1].from.end = 1; break;
        case 16: set[1].scratch[0].window_end = 3; break;
        case 17: set[1].scratch[0].window_first = 1; break;
        default: ck_abort_msg("no case %d", _i);
    }
    ck_assert_int_eq(anypi_verify(set, &call, 0, reason, sizeof reason), ANYP_ERR_SCHEDULE);
    assert_often(strstr(reason, reasons[_i]) != NULL, "the verifier says \"%s\"", reason);
    set[0].round_start = starts;
    anypi_set_free(set, 2);
}
END_TEST

START_TEST(wrong_calls_are_refused)
{
    static const char *const texts[] = { "=I0-1 O0-1" };
    anyp_schedule *set = set_from_text(1, 1, texts);
    const anyp_call calls[] = { { .p = 0 }, { .p = 1, .root = 1 }, { .p = 1, .root = -1 },
                                { .p = 1, .collective = ANYP_COLLECTIVES } };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        ck_assert_int_eq(anypi_verify(set, &calls[i], 0, NULL, 0), ANYP_ERR_ARGUMENT);
    anypi_set_free(set, 1);
}
END_TEST

/* Where data are moved, blocks may arrive again; then one of the two is not needed. */
static bool arrives_twice(const variant *v, const anyp_schedule *s, anyp_slice slice)
{
    bool twice = anypi_moves(v->call.collective);
    for (int block = slice.first; block < slice.end && twice; block++) {
        int times = anypi_set_in_place(&v->call, s->rank) &&
            block < anypi_input_of(&v->call, s->rank, s->blocks).end &&
            block >= anypi_input_of(&v->call, s->rank, s->blocks).first;
        for (int i = 0; i < s->steps_count; i++)
            times += s->steps[i].kind != ANYP_SEND && s->steps[i].to.first <= block &&
                block < s->steps[i].to.end;
        twice = times > 1;
    }
    return twice;
}

typedef struct breakage {
    int seen, broken;           /* variants; sets */
} breakage;

/* Breaks a right set of an algorithm in one step after the other: leaves a step out, exchanges the
 * operands of a reduction, or moves a slice by one block. None may pass. From p = 5 on, one variant
 * in 6 is in turn. */
static void break_each_step(const variant *v, void *state)
{
    char reason[300];
    breakage *b = state;
    if (v->call.p > 4 && b->seen++ % 6 != slice_number() % 6)
        return;
    anyp_schedule *set = variant_set(v);
    assert_verified(v, set);
    for (int rank = 0; rank < v->call.p; rank++) {
        anyp_schedule *s = &set[rank];
        for (int i = 0; i < s->steps_count; i++) {
            const anyp_step kept = s->steps[i];
            for (int way = 0; way < 3; way++) {
                anyp_step *step = &s->steps[i];
                const anyp_slice from = step->from;
                anyp_slice *slice = step->kind == ANYP_SEND ? &step->from : &step->to;
                if (way == 0) {         /* in effect left out: to scratch that is not read */
                    if (step->kind == ANYP_SEND || s->scratch_count == ANYP_MAX_SCRATCH ||
                        arrives_twice(v, s, *slice))
                        continue;
                    slice->buffer = ANYP_SCRATCH + s->scratch_count;
                    s->scratch[s->scratch_count].first = slice->first;
                    s->scratch[s->scratch_count].end = slice->end;
                    s->scratch[s->scratch_count].window_first = 0;
                    s->scratch[s->scratch_count].window_end = s->blocks;
                    s->scratch[s->scratch_count++].period = s->blocks;
                    step->kind = step->kind == ANYP_REDUCE_LOCAL ? ANYP_COPY : step->kind;
                } else if (way == 1) {
                    if (step->kind != ANYP_REDUCE_LOCAL)
                        continue;
                    step->from = step->to;
                    step->to = from;
                } else {
                    if (s->blocks == 1)
                        continue;
                    slice->first++;
                    slice->end++;
                }
                assert_often(anypi_verify(set, &v->call, v->algorithm->properties, reason,
                                          sizeof reason) == ANYP_ERR_SCHEDULE,
                             "%s: rank %d, step %d broken in way %d", variant_text(v), rank, i,
                             way);
                b->broken++;
                if (way == 0)
                    s->scratch_count--;
                s->steps[i] = kept;
            }
        }
    }
    anypi_set_free(set, v->call.p);
}

START_TEST(broken_algorithms_are_found)
{
    int count;
    breakage b = { .broken = 0 };
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int p = 2; p <= (is_fast() ? 4 : 7); p++)
        each_variant(algorithm, p, break_each_step, &b);
    ck_assert_int_gt(b.broken, 0);
}
END_TEST

Suite *suite_verify(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("verify", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, right_ones_pass, 0, (int) (sizeof right / sizeof *right));
    tcase_add_loop_test(tests, wrong_ones_are_found, 0, (int) (sizeof wrong / sizeof *wrong));
    tcase_add_loop_test(tests, broken_schedules_are_found, 0, 18);
    tcase_add_test(tests, wrong_calls_are_refused);
    tcase_add_loop_test(tests, broken_algorithms_are_found, 0, algorithms);
    return suite;
}
