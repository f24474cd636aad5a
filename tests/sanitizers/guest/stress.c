// SPDX-License-Identifier: GPL-2.0
/*
 * stress COMMAND WORD...: what the stories of this layer do to the module; one static program for the guest.
 */
#include "stress.h"

#include <signal.h>

static const struct {
	const char *name;
	int words;
	int (*run)(char **words);
} commands[] = {
	{ "churn", 4, churn },			/* TO PORT SECONDS WORKERS */
	{ "sink", 2, sink },			/* PORT SECONDS */
	{ "loads", 2, loads },			/* FILE TIMES */
	{ "readers", 2, readers },		/* SECONDS WORKERS */
	{ "namespaces", 1, namespaces },	/* TIMES */
	{ "faults", 3, faults },		/* load|namespace|connect FILE LAST */
};

int main(int argc, char **argv)
{
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (argc == commands[i].words + 2 && !strcmp(argv[1], commands[i].name))
			return commands[i].run(argv + 2);
	errx(2, "no such command, or not its words");
}
