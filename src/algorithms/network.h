/* SPDX-License-Identifier: BSD-3-Clause
 *
 * network.h - the constants of a machine, by which closed forms choose the parameters that are
 * "auto" (automatic.h). A decision file gives them to each algorithm, as a list of whole numbers:
 *
 *   network=LATENCY,OVERHEAD,LINK,REDUCTION[,INSIDE_LATENCY,INSIDE_LINK,CARDS
 *           [,LATENCY_1,LINK_1[,LATENCY_2,LINK_2...]]]
 *
 * LATENCY: nanoseconds of a message without bytes; OVERHEAD: nanoseconds more for each message at
 * each of its ends; LINK: MB/s (bytes per microsecond) of a port; REDUCTION: MB/s of a local
 * reduction, 0: it takes no time. The next three are for ranks that share a node: latency and rate
 * of its messages, and its network cards. Without them, the messages of a node are like others.
 * LATENCY_1 is that of a message from one switch to another, and LINK_1 the rate at which a switch
 * sends to others, over all its cables together; the next pairs are those of groups of switches, of
 * groups of these, and so on. Where the call's shape has more heights than the list has pairs, a
 * height has the latency of the one below it, and its links are four times slower than the cards of
 * a mean group together. Pairs for heights that the shape has not are ignored.
 */
#ifndef ANYPI_NETWORK_H_INCLUDED
#define ANYPI_NETWORK_H_INCLUDED

#include "anyp.h"

/* The constants without any variable or rule: an ordinary cluster. Its ranks, unless its nodes have
 * several or its switches are known, share links of leaf switches (`group` and `taper` of the
 * model); a list has none. */
#define ANYPI_NETWORK_DEFAULT "1500,500,12500,5000,300,10000,1"

/* What is wrong with such a list (static text); NULL: nothing. */
const char *anypi_network_fault(const int *numbers, int count);

/* Sets the constants where no rule gives any, from text; NULL: those above. Before the first call
 * of an algorithm. Returns NULL, or what is wrong (static text). */
const char *anypi_network_set(const char *text);

/* Writes the constants where no rule gives any into text; returns text. */
char *anypi_network_text(char *text, size_t size);

/* Is it the parameter `network`? */
bool anypi_parameter_is_network(const anyp_parameter *parameter);

/* The model of a call, in seconds: by the value of the parameter `network`, for the nodes of the
 * call, if it knows them. */
anyp_model anypi_network_model(const anyp_parameter *parameter, int value, const anyp_call *call);

/* The same by a list as text; false if it is none. */
bool anypi_network_read(const char *text, const anyp_call *call, anyp_model *model);

/* Sets the heights of model->nodes above its nodes, those from `first` on: the latency of the
 * height below, and links that are `taper` times slower than the cards of a mean group together. */
void anypi_network_taper(anyp_model *model, int first, double taper);

/* The list for a model, such that reading it gives nearly the same model; returns text. */
char *anypi_network_of_model(const anyp_model *model, char *text, size_t size);

#endif
