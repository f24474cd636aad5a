/* SPDX-License-Identifier: GPL-2.0 */
/* Included before all else, it makes of the module what BPF can do: prr_out and prior_cwnd are not written, as in src/bpf. */
#ifndef NDM_TEST_BPF
#define NDM_TEST_BPF

#include <fields.h>

#define ndm_set_prr_out(tp, packets) ((void)(packets))
#define ndm_set_prior_cwnd(tp, packets) ((void)(packets))

#endif
