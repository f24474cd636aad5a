# SPDX-License-Identifier: GPL-2.0
"""The far end for each kind of target."""
import iperf3
import target as names


def open_far_end(target, speaker):
    return iperf3.FarEnd(names.resolve(target.host, target.port), speaker.note)
