# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# grammar.sh: every command, option and key, once. The parser, the help, the completions and tests of the manual read these
# tables; completion/ndmctl sources this file, so there is nothing in it but data.

# command, rights (read: for everybody; change: for root, under the lock), arguments, one-line help
#   arguments: WORD is needed, [WORD] is not; ... at the end repeats all of them. The words are types, for completion as well
COMMANDS=(
	'status'          read   ''             'overview of module, default, sockets and problems (the bare command)'
	'set-default'     change '[NAME]'       'make NAME the default for new connections, or revert'
	'default'         read   ''             'print the current default'
	'cgroup set'      change 'PATH NAME'    'new connections of it and of the cgroups below use NAME; the nearest policy wins'
	'cgroup clear'    change 'PATH'         'its new connections get what they would without the policy'
	'cgroup list'     read   ''             'every cgroup with a policy, and whether it is still the same cgroup'
	'cgroup show'     read   'PATH'         'its policy, and what its new connections get'
	'unit set'        change 'UNIT NAME'    'write a drop-in for every start of it, and apply it to what runs'
	'unit clear'      change 'UNIT'         'remove the drop-in, also what it applied'
	'unit list'       read   ''             'every unit with a policy'
	'load'            change ''             'load the module and apply its configured parameters'
	'unload'          change ''             'unload the module, or list what holds it'
	'reload'          change ''             'apply the configuration again; connections stay untouched'
	'config get'      read   '[KEY]'        'print all keys with their origin, or the value of one'
	'config set'      change 'KEY VALUE ...' 'write conf.d/50-ndmctl.conf and apply to the loaded module'
	'config unset'    change 'KEY ...'      'remove KEY from conf.d/50-ndmctl.conf'
	'config edit'     change ''             'edit conf.d/50-ndmctl.conf, and take it only when it is valid'
	'config validate' read   '[FILE]'       'check all files, or FILE, - for standard input; exit 6 names every error'
	'config diff'     read   ''             'keys whose configured value is not the live one; exit 1 when any'
	'config path'     read   ''             'the files that are read, in order'
	'route set'       change 'DEST NAME'    'connections through the route DEST use NAME; everything else of it stays'
	'route clear'     change 'DEST'         'what the route had before'
	'route list'      read   ''             'every route with an algorithm of its own'
	'exec'            change 'COMMAND ...'  'run one command whose new connections use NAME of --cc'
	'netns list'      read   ''             'every network namespace that a process or a name shows'
	'stats'           read   ''             'counters of this network namespace since load'
	'sockets'         read   ''             'TCP connections with their algorithm and its verdicts'
	'doctor'          read   ''             'check everything ndm needs and name the next command'
	'version'         read   ''             'versions of ndmctl and of the module'
	'help'            read   '[TOPIC] [WORD]' 'this text, or the help of one command'
	'service start'   change ''             'load, apply parameters and DEFAULT'
	'service reload'  change ''             'the same for a running system'
	'service units'   change ''             'load what the policies of units need, for ndm-tcp-units.service'
	'service stop'    change ''             'put the previous default back, unload when free'
)

# the first word of commands of two, one-line help
GROUPS_OF_COMMANDS=(
	cgroup  'give the connections of a cgroup an algorithm of their own'
	unit    'the same for a systemd service, socket or slice, from start to start'
	config  'read, check and change the configuration'
	route   'the default of connections that take a route'
	netns   'network namespaces and their defaults'
	service 'start, reload or stop, for ndm-tcp.service'
)

# commands that take it (* for all), option, its argument (- for none), help
OPTIONS=(
	'*' --json    -    'one JSON object on standard output'
	'*' --plain   -    'tab-separated lines without a header'
	'*' --color   WHEN 'auto, always or never (--color=WHEN)'
	'*' --dry-run -    'print what would be done, change nothing (-n)'
	'*' --quiet   -    'no notes, only errors (-q)'
	'*' --verbose -    'name each change, and what is already so (-v)'
	'*' --help    -    'help of the command (-h)'
	'*' --version -    'version of ndmctl'
	'status'      --short   -  'one word: loaded, default or absent'
	'status'      --check   -  'no output; exit 0 when loaded, 3 when not'
	'set-default' --runtime -  'only now: the configuration stays as it is'
	'set-default' --persist -  'only at boot: the running default stays as it is'
	'set-default' --revert  -  'put the previous default back'
	'set-default,sockets' --netns NS 'of one network namespace (name or PID), or of all'
	'default'     --netns   NS 'of that network namespace (name or PID)'
	'set-default,config get,config set,config unset,config edit,config validate,config path'
	              --root    DIR 'the configuration of the system in the tree DIR, such as an image'
	'cgroup set,cgroup clear,cgroup show' --self     -   'the cgroup of the caller, in place of PATH'
	'cgroup set,cgroup clear,cgroup show' --pid      PID 'the cgroup of that process, in place of PATH'
	'cgroup set,cgroup clear'             --persist  -   'also in conf.d/50-ndmctl.conf, for every boot'
	'cgroup set,cgroup clear'             --existing -   'living connections too (Linux 5.15)'
	'unit set'              --runtime       -    'until the next boot'
	'unload'                --force-default OTHER 'make OTHER the default first'
	'route set'             --lock          -    'NAME is fixed: applications cannot choose another'
	'route set,route clear' --table         T    'of the routing table T, main unless given'
	'route set,route clear' --metric        N    'of several routes, the one with this metric'
	'exec'                  --cc            NAME 'the algorithm for the command'
	'sockets'               --cc            NAME 'only connections that use NAME'
	'doctor'                --report        FILE 'write all that a bug report needs to FILE, - for standard output'
)

# key, allowed values, default, meaning
KEYS=(
	VARIANT             'v1|v4|v5'    v1   "what the algorithm 'ndm' computes"
	DEFAULT             'yes|no|NAME' no   'default for new connections: yes is ndm, no leaves it alone, NAME is that algorithm'
	ENTROPY_THRESHOLD   0..1000       700  'RTT entropy, per mille: above it a loss is noise, at or below it congestion'
	KEEP_CONGESTION     100..900      500  'per mille of the window kept on a loss judged congestion'
	KEEP_NOISE          100..900      333  'per mille of the window kept on a loss judged noise'
	CONGESTION_DIVISOR  1000..32000   2000 'growth divisor toward congestion'
	NOISE_DIVISOR       1000..32000   1000 'growth divisor toward noise'
	V4_START_GRADIENT   0..1000       400  'v4: RTT gradient (100 per ms) above which slow start halves'
	V4_DELAY_HIGH       0..1000       800  'v4: queuing delay, per mille of the smallest RTT, above which growth is cautious'
	V4_GRADIENT_HIGH    0..1000       500  'v4: RTT gradient above which growth under congestion is extra cautious'
	V4_DELAY_DIVISOR    1000..32000   3000 'v4: growth divisor under high delay'
	V4_GRADIENT_DIVISOR 1000..32000   4000 'v4: growth divisor under a high gradient'
	RACK_ASSIST         0..1          1    'v5: 1 lets loss detection wait for overtaken packets, once reordering is proven'
)

# Keys that may stand more than once: key, what follows it, meaning. One target has one line a file; the last file decides.
LIST_KEYS=(
	CGROUP 'PATH:NAME' 'algorithm for the connections of that cgroup and those below it; no for none'
	UNIT   'UNIT:NAME' 'algorithm for the connections of that service, socket or slice; no for none'
)
