/* SPDX-License-Identifier: BSD-3-Clause
 *
 * network.h - the constants of a machine, by which closed forms choose the parameters that are
 * "auto" (settle.h). A decision file contains them for each algorithm, as a list of whole
 * numbers:
 *
 *   network=LATENCY,OVERHEAD,LINK,REDUCTION[,INSIDE_LATENCY,INSIDE_LINK,CARDS
 *           [,LATENCY_1,LINK_1[,LATENCY_2,LINK_2...]]]
 *
 * - LATENCY: nanoseconds of a message without bytes;
 * - OVERHEAD: additional nanoseconds for each message at each of its ends;
 * - LINK: MB/s (bytes per microsecond) of a port;
 * - REDUCTION: MB/s of a local reduction; 0: it takes no time;
 * - INSIDE_LATENCY, INSIDE_LINK, CARDS: for ranks that share a node, latency and rate of their
 *   messages, and the node's network cards. Without them, messages inside a node are like others;
 * - LATENCY_1, LINK_1: latency of a message from one switch to another, and the rate at which a
 *   switch sends to others, over all its cables together. The next pairs are for groups of
 *   switches, groups of these, and so on.
 * If the call's shape has more heights than the list has pairs, each further height has the latency
 * of the one below it, and links that are four times slower than the cards of an average group
 * together. Pairs for heights that the shape does not have are ignored.
 */
#ifndef ANYPI_NETWORK_H_INCLUDED
#define ANYPI_NETWORK_H_INCLUDED

#include "anyp.h"

/* The constants if no variable or rule sets any: an ordinary cluster. Its ranks share links of leaf
 * switches (`group` and `taper` of the model), unless its nodes have several ranks or its switches
 * are known. A list has no such links. */
#define ANYPI_NETWORK_DEFAULT "1500,500,12500,5000,300,10000,1"

/* Returns what is wrong with such a list (static text); NULL: nothing. */
const char *anypi_network_fault(const int *numbers, int count);

/* Sets the constants for calls whose rule has none, from text; NULL: those above. Call it before
 * the first call of an algorithm. Returns NULL, or what is wrong (static text). */
const char *anypi_network_set(const char *text);

/* Writes the constants for calls whose rule has none into text; returns text. */
char *anypi_network_text(char *text, size_t size);

/* Is it the parameter `network`? */
bool anypi_parameter_is_network(const anyp_parameter *parameter);

/* Returns the model of a call, in seconds: by the value of the parameter `network`, for the nodes
 * of the call, if the call knows them. */
anyp_model anypi_network_model(const anyp_parameter *parameter, int value, const anyp_call *call);

/* The same with the constants of an ordinary cluster, and its leaf switches. */
anyp_model anypi_network_ordinary(const anyp_call *call);

/* As anypi_network_model(), by a list as text; false if it is none. */
bool anypi_network_read(const char *text, const anyp_call *call, anyp_model *model);

/* Sets the heights of model->nodes above its nodes, from `first` on: the latency of the height
 * below, and links that are `taper` times slower than the cards of an average group together. */
void anypi_network_taper(anyp_model *model, int first, double taper);

/* Writes a list such that reading it gives nearly the same model; returns text. */
char *anypi_network_of_model(const anyp_model *model, char *text, size_t size);

#endif
