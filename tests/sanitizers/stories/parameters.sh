# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154  # parameters and receiver are of words.sh and router.sh
# Every parameter changes all the time while connections of every variant move data over a path with loss, reordering and ECN marks,
# and while others read /proc/net/tcp_ndm and ask ss.
insmod /tcp_ndm.ko
path_router forward='delay 8ms 4ms loss 1%' back='delay 2ms' rate=10mbit queue='fq_codel limit 60 target 2ms interval 20ms ecn' ecn=on
for variant in ndm ndm_v1 ndm_v4 ndm_v5; do
	on_sender traffic send to="$receiver" cc=$variant flows=2 seconds=25 sample=5 > /tmp/flows-$variant &
done
on sender stress readers 25 2 > /tmp/figures-readers &
change_parameters /tmp/figures-readers > /tmp/figures-parameters &
ask /tmp/figures-readers > /tmp/figures-asks
wait $!
cat /tmp/figures-* > /tmp/figures
on sender sed 's/^/ndm_/' /proc/net/tcp_ndm >> /tmp/figures
for file in $parameters/*; do at_least 3 "accepted_${file##*/}"; done
at_least 100 rejected
at_least 500 reads
at_least 20 shown
for counter in reductions undos ecn_reductions updates; do at_least 3 ndm_$counter; done
