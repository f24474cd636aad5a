# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154  # parameters and receiver are of words.sh and router.sh
# Connections change their algorithm at random in every state, on a path with loss, reordering, ECN marks and a break.
insmod /tcp_ndm.ko
path_router forward='delay 8ms 4ms loss 1% duplicate 0.5%' back='delay 2ms' rate=10mbit queue='fq_codel limit 60 target 2ms interval 20ms ecn' ecn=on
on receiver stress sink 5001 200 > /tmp/sink &
on sender stress churn "$receiver" 5001 40 8 > /tmp/churn &
churn_pid=$!
ask /tmp/churn > /tmp/asks &
sleep 15
cut_path
sleep 3
heal_path
wait $churn_pid
touch /tmp/end
settle test -s /tmp/sink -a -s /tmp/asks
cat /tmp/sink /tmp/churn /tmp/asks > /tmp/figures
at_least 20 shown
on sender sed 's/^/ndm_/' /proc/net/tcp_ndm >> /tmp/figures
on receiver sed 's/^/ndm_/' /proc/net/tcp_ndm >> /tmp/figures
# ESTABLISHED, SYN_SENT, FIN_WAIT1, FIN_WAIT2, CLOSE, CLOSE_WAIT, LAST_ACK, LISTEN; then Open, Disorder, CWR, Recovery, Loss.
for state in 1 2 4 5 7 8 9 10; do at_least 3 state_$state; done
for state in 0 1 2 3 4; do at_least 3 ca_$state; done
for counter in reductions undos ecn_reductions rtos slow_start_exits; do at_least 3 ndm_$counter; done
