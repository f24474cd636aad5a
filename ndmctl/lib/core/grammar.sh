# SPDX-License-Identifier: GPL-2.0
# grammar.sh: every command, option and key, once. The parser, the help, the completions and tests of the manual read
# these tables.

# the algorithms of the module
OURS=(ndm ndm_v1 ndm_v4 ndm_v5)

# command, rights (read: for everybody; change: for root, under the lock), arguments, one-line help
#   arguments: WORD is needed, [WORD] is not; ... at the end repeats all of them. The words are types, for completion
COMMANDS=(
	'status'          read   ''             'show what is in use, and what is wrong (also without a command)'
	'set-default'     change '[NAME]'       'make NAME the default for new connections'
	'cgroup set'      change 'PATH NAME'    'give new connections of a cgroup, and of those below it, the algorithm NAME'
	'cgroup clear'    change 'PATH'         'remove the policy of a cgroup'
	'cgroup list'     read   ''             'list the cgroups with a policy, and whether it is active'
	'cgroup show'     read   'PATH'         'show the policy of a cgroup, and the algorithm of its new connections'
	'unit set'        change 'UNIT NAME'    'give connections of a unit the algorithm NAME, at once and at every start'
	'unit clear'      change 'UNIT'         'remove the policy of a unit'
	'unit list'       read   ''             'list the units with a policy'
	'load'            change ''             'load the module, and apply the configuration; open connections go on'
	'unload'          change ''             'unload it, or list what holds it'
	'config get'      read   '[KEY]'        'print all keys with their origin, or the value of KEY'
	'config set'      change 'KEY VALUE ...' 'write KEY to conf.d/50-ndmctl.conf and to the loaded module'
	'config unset'    change 'KEY ...'      'remove KEY from conf.d/50-ndmctl.conf'
	'config validate' read   '[FILE]'       'check all files, or FILE (- for standard input); exit 6 on an error'
	'route set'       change 'DEST NAME'    'give connections over the route DEST the algorithm NAME'
	'route clear'     change 'DEST'         'give the route back the algorithm that it had before'
	'route list'      read   ''             'list the routes with an algorithm'
	'metrics'         read   ''             'print counters and state in the text format of Prometheus'
	'sockets'         read   ''             'list TCP connections with their algorithm and its verdict'
	'bench'           read   '[TARGET] ...' 'measure which algorithm is faster to iperf3://HOST, ssh://HOST, https://HOST'
	'advise'          read   ''             'say what the open connections tell about their paths'
	'doctor'          read   ''             'check all that ndm needs, and print the next command'
	'help'            read   '[TOPIC] [WORD] ...' 'print this text, or the help of a command, or of all'
)

# What the systemd units and the packages run, as /usr/lib/ndm-tcp/service VERB: a link to ndmctl, which knows itself by
# that name.
SERVICE_COMMANDS=(
	'service start'   change ''     'load the module and apply the configuration'
	'service units'   change ''     'load what the policies of units need, for ndm-tcp-units.service'
	'service attach'  change 'UNIT' 'attach the program of a unit that has started, for ndm-tcp-policy@.service'
	'service stop'    change ''     'put the previous default back, remove policies, unload the module if it is not in use'
	'service remove'  change ''     'stop, and put back network namespaces and routes; before the package is removed'
	'service upgrade' change ''     'load the BPF programs of this version in place of those of the version before'
)

# the first word of commands of two, one-line help
GROUPS_OF_COMMANDS=(
	cgroup  'the algorithm for the connections of a cgroup'
	unit    'the algorithm for a systemd service, socket or slice, also after a restart'
	config  'read, check and change the configuration'
	route   'the algorithm for the connections over a route'
)

# What "ndmctl help" shows: a title, and the first words below it.
OVERVIEW=(
	'choose the algorithm'            'set-default unit cgroup route'
	'see what is in use'              'status doctor sockets'
	'measure'                         'bench advise metrics'
	'the module and its configuration' 'load unload config'
)

# short options, and what they stand for
SHORT_OPTIONS=(-n --dry-run -q --quiet -v --verbose -h --help -o --output)

# commands that take it (* for all), option, its argument (- for none), help
OPTIONS=(
	'*' --json    -    'one JSON object on standard output'
	'*' --plain   -    'tab-separated lines without a header'
	'*' --dry-run -    'print what would be done, change nothing'
	'*' --quiet   -    'no notes, only errors'
	'*' --verbose -    'print each change, also one that is already made'
	'*' --help    -    'help of the command'
	'*' --version -    'version of ndmctl'
	'status'      --short   -  'one word: loaded, default or absent'
	'status'      --check   -  'no output; exit 0 when loaded, 3 when not'
	'status'      --counters - 'the counters of this network namespace'
	'set-default' --runtime -  'only now: the configuration stays as it is'
	'set-default' --persist -  'only at boot: the running default stays as it is'
	'set-default' --revert  -  'put the previous default back'
	'set-default,sockets,status' --netns NS 'in one network namespace (name or PID), or in all'
	'config get'            --diff          -   'only what the running system has otherwise; exit 1 if any'
	'cgroup set,cgroup clear,cgroup show' --self     -   'the cgroup of the caller, in place of PATH'
	'cgroup set,cgroup clear,cgroup show' --pid      PID 'the cgroup of that process, in place of PATH'
	'cgroup set,cgroup clear'             --persist  -   'also in conf.d/50-ndmctl.conf, for every boot'
	'unit set'              --runtime       -    'only until the next boot'
	'route set'             --lock          -    'applications cannot choose another algorithm'
	'route set,route clear' --table         T    'the route of the routing table T (default: main)'
	'route set,route clear' --metric        N    'the route with the metric N, of several'
	'sockets'               --cc            NAME 'only connections that use NAME'
	'metrics'               --output        FILE 'replace FILE at once, in place of standard output'
	'bench'                 --algorithms    LIST 'compare these with Cubic (default: ndm_v5,bbr, where they are)'
	'bench'                 --blocks        N    'how often each algorithm is measured (default 8, of which 6 are needed)'
	'bench'                 --seconds       S    'length of a flow; its first quarter is dropped (default 20)'
	'bench'                 --budget        MB   'end when so many megabytes were sent'
	'bench'                 --seed          N    'the order of the flows, as a report names it'
	'bench'                 --with-addresses -   'keep TARGET in the result, in place of a number'
	'bench'                 --output        FILE 'also write the result to FILE, as JSON'
	'bench'                 --html          FILE 'also write the report to FILE, as one page with pictures'
	'bench'                 --show          -    'measure nothing: show the results in files, those of one path joined'
	'help'                  --words         -    'what may follow the words after --, for completions'
	'doctor'                --report        FILE 'write what a bug report needs to FILE (- for standard output)'
)

# of each row a command takes one
EXCLUSIVE=('--json --plain --report' '--short --check --counters --netns' '--self --pid' '--runtime --persist'
	'--netns --persist')

# key, allowed values, default, meaning; those of the module's parameters are read from its own table
KEYS=(
	VARIANT             'v1|v4|v5'    v1   "the variant that the algorithm 'ndm' stands for"
	DEFAULT             'yes|no|NAME' no   'default for new connections: yes means ndm, no keeps the default of the system'
	BACKEND             'auto|module|bpf' auto 'what carries the algorithms; auto: BPF where the kernel takes no module'
	METRICS             'yes|no'      no   'whether connections are counted by algorithm, for ndmctl metrics'
)
read_parameters() { # FILE: two lines each: name, lowest and highest value, default; meaning
	local macro name lowest highest initial meaning
	while IFS='(, ' read -r macro name lowest highest initial _; do
		[[ $macro == NDM_PARAMETER* && $name ]] || continue
		IFS='"' read -r _ meaning _
		KEYS+=("${name^^}" "$lowest..$highest" "$initial" "$meaning")
	done <"$1"
}
read_parameters "${BASH_SOURCE[0]%/*}/parameters.h"

# Keys that may stand more than once: key, what follows it, meaning. One target has one line a file; the last file
# decides.
LIST_KEYS=(
	CGROUP 'PATH:NAME' 'algorithm for the connections of a cgroup and of those below it; no for none'
	UNIT   'UNIT:NAME' 'algorithm for the connections of a service, socket or slice; no for none'
)
