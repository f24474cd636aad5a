/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the traffic program share. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include <stdint.h>

struct addrinfo;

uint64_t now_ns(void);
struct addrinfo *resolve(const char *host, const char *port, int passive);
int listen_on(const char *port);
int compare(const void *a, const void *b);
const char *value_of(char **words, const char *name, const char *otherwise);

void messages_command(char **words);

#endif
