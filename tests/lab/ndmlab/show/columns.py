# SPDX-License-Identifier: GPL-2.0
"""The columns that several sets have in the table of `lab run`: heading, width, what to print of a table.Row."""
from ..judge import metrics
from .table import Row


def completion(quantile):
    return lambda row: row.mean(lambda result: metrics.completion(result, quantile), 0)


def rival_rate(result):
    """None without a rival."""
    return metrics.rival_goodput(result) if metrics.rivals(result) else None


GOODPUT = ("Mbit/s", 16, lambda row: row.interval(metrics.goodput, 2))
RIVAL = ("rival Mbit/s", 16, lambda row: row.interval(rival_rate, 2))
JAIN = ("Jain", 7, lambda row: row.mean(metrics.fairness, 3))
JAIN_INTERVAL = ("Jain", 15, lambda row: row.interval(metrics.fairness, 3))
HARM = (("harm", 7, lambda row: row.mean(row.harm, 2)), ("- Cubic's", 15, lambda row: row.interval(row.harm_beyond, 2)))
COUNT = ("retransmissions", 19, lambda row: row.interval(metrics.retransmissions, 1))
PER = ("MB/retr", 9, Row.per)
SPURIOUS = ("spurious", 10, lambda row: row.mean(metrics.spurious_ratio, 3))
DROPS = ("drops", 8, lambda row: row.mean(metrics.drops, 0))
MARKS = ("marks", 7, lambda row: row.mean(metrics.marks, 0))
SRTT = ("srtt p50", 10, lambda row: row.mean(lambda result: metrics.srtt(result, 50), 1))
QUEUE = (("queue p50", 11, lambda row: row.queue(50)), ("p95 ms", 8, lambda row: row.queue(95)))
CWND = ("cwnd max", 10, lambda row: row.of_flow("cwnd_max", 1, 0))
RECOVERY = ("recovery s", 11, lambda row: row.mean(lambda result: metrics.recovery(result, row.scenario.event), 2))
SHORT = (("FCT p50", 9, completion(50)), ("p95 ms", 8, completion(95)))
