# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# The module is loaded and removed many times while connections begin, use it and end.
echo '' > /proc/sys/kernel/modprobe # nobody else loads it when its name is asked for
ip link set lo up
traffic serve 5000 &
settle is_listening
stress readers 200 1 > /tmp/readers &
stress churn 127.0.0.1 5000 -200 1 > /tmp/churn &
stress loads /tcp_ndm.ko 1000 > /tmp/loads
touch /tmp/end
settle test -s /tmp/churn -a -s /tmp/readers
cat /tmp/readers /tmp/churn /tmp/loads > /tmp/figures
at_least 1000 loads
at_least 100 held # times that it could not be removed: a connection had it
at_least 20 refused # algorithms asked for while the module was away
at_least 100 connections
at_least 100 reads
