// SPDX-License-Identifier: GPL-2.0
/*
 * A recorded link between two hosts of the guest: packets pass at the times at
 * which a real link could pass them, in order.
 *
 *   near host --> link-near --> queue, capacity, loss, delay --> link-far --> far host
 *             <--           <-- delay, loss, capacity, queue <--          <--
 *
 * The module makes the two devices, once; whoever loads it moves them to their
 * hosts. It is a part of the kernel because a process would take two system
 * calls a packet, of which each costs more than all the rest.
 *
 * The recording begins with a line `forward N back N delay N`. Then come, a
 * byte each: the packets of 1500 bytes that could leave in each millisecond on
 * the way to the far host, the same for the way back, and the delay of one way
 * in ms, a value each 10 ms. It starts anew at its end. Without values for the
 * way back, that has the same as the way there. Capacity that nobody uses is
 * lost; a packet may need several opportunities, or several packets one.
 *
 * /proc/lab_link says what the two queues did, in the form of the lab's other
 * queues, and how long packets waited in the one on the way there.
 */
#include <linux/hrtimer.h>
#include <linux/if_arp.h>
#include <linux/init.h>
#include <linux/ipv6.h>
#include <linux/kernel_read_file.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/sort.h>
#include <linux/version.h>
#include <linux/vmalloc.h>
#include <net/ipv6.h>

#define OPPORTUNITY 1500	/* bytes */
#define DELAY_STEP 10		/* ms for which a value of the delay holds */
#define TARGET (5 * NSEC_PER_MSEC)	/* CoDel's */
#define INTERVAL (100 * NSEC_PER_MSEC)
#define NEVER U64_MAX
#define WAITS_MAX 1000000	/* packets; later waits are not kept, and it is said how many were */
#define DIGITS 9		/* after the point, of numbers with one */

static char *data = "";
module_param(data, charp, 0);
MODULE_PARM_DESC(data, "the recording, a file");
static unsigned long seed;
module_param(seed, ulong, 0);
MODULE_PARM_DESC(seed, "chooses the place in the recording where the link begins, and which packets it loses");
static unsigned long queue;
module_param(queue, ulong, 0);
MODULE_PARM_DESC(queue, "bytes that may wait on the way to the far host; more is dropped at the tail");
static unsigned long back_queue = 1000000;
module_param(back_queue, ulong, 0);
MODULE_PARM_DESC(back_queue, "the same on the way back");
static bool codel;
module_param(codel, bool, 0);
MODULE_PARM_DESC(codel, "the queue on the way there drops by CoDel (RFC 8289, target 5 ms, interval 100 ms), too");
static char *delay = "0";
module_param(delay, charp, 0);
MODULE_PARM_DESC(delay, "ms each way, beyond what the recording says");
static char *loss = "0";
module_param(loss, charp, 0);
MODULE_PARM_DESC(loss, "share of the packets that the link passed and loses, 0 to 1");
static char *back_loss = "0";
module_param(back_loss, charp, 0);
MODULE_PARM_DESC(back_loss, "the same on the way back");

/**
 * struct mark - what is noted in a packet
 * @at_ns: when it came; once it left the queue, when it arrives
 * @left:  bytes for which it had no opportunity yet
 */
struct mark {
	u64 at_ns;
	u32 left;
};

/**
 * struct control - the state of CoDel, RFC 8289
 * @above_ns: since when packets wait too long, 0 while they do not
 * @next_ns:  when the next is dropped
 * @count:      drops in this bout
 * @last_count: of that, at the begin of the bout
 * @dropping: a bout is on
 */
struct control {
	u64 above_ns, next_ns;
	u32 count, last_count;
	bool dropping;
};

/**
 * struct way - one direction
 * @to:         the device where its packets arrive
 * @capacity:   packets for each ms
 * @length:     how many ms
 * @next_ms:    whose opportunities come next, ms since the start
 * @waiting:    the queue
 * @bytes:      what is in it
 * @limit:      what may be in it, bytes
 * @control:    NULL: the tail alone is dropped
 * @flying:     packets that left it, in the order in which they arrive
 * @last_ns:    when the last of them arrives
 * @loss:       share that is lost, of 2^31
 * @packets:    that came through
 * @sent_bytes: of these
 * @dropped:    packets that did not come through
 * @wait_us:    how long those that left waited
 * @waits:      how many of these
 */
struct way {
	struct net_device *to;
	const u8 *capacity;
	u32 length;
	u64 next_ms;
	struct sk_buff_head waiting, flying;
	u64 bytes, limit;
	struct control *control;
	u64 last_ns;
	u32 loss;
	u64 packets, sent_bytes, dropped;
	u32 *wait_us, waits;
};

static DEFINE_SPINLOCK(lock);	/* taken with softirqs off; all below it */
static struct hrtimer timer;
static struct control control;
static struct way there, back;
static u64 start_ns, place_ms, fixed_ns, chance;
static const u8 *delays;
static u32 delay_count;

static struct mark *mark_of(struct sk_buff *skb)
{
	return (struct mark *)skb->cb;
}

/* Knuth's generator; its upper bits are the good ones. 0 to 2^31 - 1. */
static u32 draw(void)
{
	chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
	return chance >> 33;
}

static u8 capacity_of(const struct way *way, u64 ms)
{
	u64 at = place_ms + ms;

	return way->capacity[do_div(at, way->length)];
}

static u64 ms_of(u64 ns)
{
	return div_u64(ns, NSEC_PER_MSEC);
}

/* The first ms from @ms on with an opportunity; there is one in every recording. */
static u64 find_capacity(const struct way *way, u64 ms)
{
	while (!capacity_of(way, ms))
		ms++;
	return ms;
}

static u64 delay_now(u64 now)
{
	u64 step = div_u64(place_ms + ms_of(now - start_ns), DELAY_STEP);

	return fixed_ns + (delay_count ? delays[do_div(step, delay_count)] * NSEC_PER_MSEC : 0);
}

/* INTERVAL / sqrt(count); the root with 16 bits after the point. */
static u64 codel_step(u32 count)
{
	return div_u64((u64)INTERVAL << 16, int_sqrt64((u64)count << 32));
}

/* Whether CoDel drops the packet at the head of the queue, which waited so long. */
static bool codel_drops(struct control *c, u64 wait_ns, u64 bytes, u64 now)
{
	if (wait_ns < TARGET || bytes <= OPPORTUNITY) {
		c->above_ns = 0;
		c->dropping = false;
		return false;
	}
	if (!c->above_ns)
		c->above_ns = now;
	if (c->dropping) {
		if (now < c->next_ns)
			return false;
		c->count++;
		c->next_ns += codel_step(c->count);
		return true;
	}
	if (now - c->above_ns < INTERVAL)
		return false;
	/* A bout soon after another begins near the rate at which that ended. */
	c->count = c->count - c->last_count > 1 && now < c->next_ns + 16 * INTERVAL ? c->count - c->last_count : 1;
	c->last_count = c->count;
	c->next_ns = now + codel_step(c->count);
	c->dropping = true;
	return true;
}

static void drop(struct way *way, struct sk_buff *skb)
{
	way->dropped++;
	kfree_skb(skb);
}

/* The head of the queue had all its opportunities. */
static void send_first(struct way *way, u64 now)
{
	struct sk_buff *skb = __skb_dequeue(&way->waiting);
	u64 due = now + delay_now(now);

	way->bytes -= skb->len;
	if (way->wait_us && way->waits < WAITS_MAX)
		way->wait_us[way->waits++] = div_u64(now - mark_of(skb)->at_ns, NSEC_PER_USEC);
	if (way->loss && draw() < way->loss) {
		drop(way, skb);
		return;
	}
	way->packets++;
	way->sent_bytes += skb->len;
	/* The delay may have become shorter: what was sent before still comes before. */
	way->last_ns = max(due, way->last_ns);
	mark_of(skb)->at_ns = way->last_ns;
	__skb_queue_tail(&way->flying, skb);
}

/* The opportunities of one ms. */
static void serve(struct way *way, u64 now)
{
	u32 left = capacity_of(way, way->next_ms) * OPPORTUNITY, part;
	struct sk_buff *first;
	struct mark *mark;

	while (left && (first = skb_peek(&way->waiting))) {
		mark = mark_of(first);
		if (way->control && mark->left == first->len && codel_drops(way->control, now - mark->at_ns, way->bytes, now)) {
			way->bytes -= first->len;
			drop(way, __skb_dequeue(&way->waiting));
			continue;
		}
		part = min(left, mark->left);
		left -= part;
		mark->left -= part;
		if (!mark->left)
			send_first(way, now);
	}
}

static void deliver(struct way *way, struct sk_buff *skb)
{
	memset(skb->cb, 0, sizeof(struct mark));
	skb_scrub_packet(skb, true);
	skb->dev = way->to;
	skb_reset_mac_header(skb);
	netif_rx(skb);
}

/* All whose time has come: opportunities, then arrivals. Returns when something is to be done next. */
static u64 advance(struct way *way, u64 now)
{
	struct sk_buff *first;
	u64 next = NEVER;

	while (!skb_queue_empty(&way->waiting)) {
		way->next_ms = find_capacity(way, way->next_ms);
		next = start_ns + way->next_ms * NSEC_PER_MSEC;
		if (next > now)
			break;
		serve(way, next);
		way->next_ms++;
		next = NEVER;
	}
	while ((first = skb_peek(&way->flying))) {
		if (mark_of(first)->at_ns > now)
			return min(mark_of(first)->at_ns, next);
		deliver(way, __skb_dequeue(&way->flying));
	}
	return next;
}

static u64 advance_both(u64 now)
{
	u64 next = advance(&there, now), other = advance(&back, now);

	return min(next, other);
}

static enum hrtimer_restart on_timer(struct hrtimer *unused)
{
	u64 next;

	spin_lock(&lock);
	next = advance_both(ktime_get_ns());
	if (next != NEVER)
		hrtimer_set_expires(&timer, ns_to_ktime(next));
	spin_unlock(&lock);
	return next == NEVER ? HRTIMER_NORESTART : HRTIMER_RESTART;
}

/* IPv6 announces the device to its neighbours; such packets would only disturb the count. */
static bool is_for_a_group(const struct sk_buff *skb)
{
	return skb->protocol == htons(ETH_P_IPV6) && ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr);
}

static void take(struct way *way, struct sk_buff *skb, u64 now)
{
	u64 ms = ms_of(now - start_ns) + 1;

	if (way->bytes + skb->len > way->limit) {
		drop(way, skb);
		return;
	}
	/* What an empty queue left of the ms before is gone. */
	if (skb_queue_empty(&way->waiting) && way->next_ms < ms)
		way->next_ms = ms;
	*mark_of(skb) = (struct mark){ now, skb->len };
	__skb_queue_tail(&way->waiting, skb);
	way->bytes += skb->len;
}

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *device)
{
	struct way *way = *(struct way **)netdev_priv(device);
	u64 now = ktime_get_ns(), next;

	if (is_for_a_group(skb)) {
		consume_skb(skb);
		return NETDEV_TX_OK;
	}
	skb_orphan(skb);	/* to its socket it has left this host */
	spin_lock(&lock);
	/* What was due meanwhile goes first: a packet that comes late finds an opportunity gone. */
	advance_both(now);
	take(way, skb, now);
	next = advance_both(now);
	if (next != NEVER)
		hrtimer_start(&timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
	spin_unlock(&lock);
	return NETDEV_TX_OK;
}

static const struct net_device_ops operations = { .ndo_start_xmit = transmit };

/* A point-to-point device of bare IP packets, without a queue of its own. */
static void set_up(struct net_device *device)
{
	device->netdev_ops = &operations;
	device->type = ARPHRD_NONE;
	device->flags = IFF_POINTOPOINT | IFF_NOARP;
	device->priv_flags |= IFF_NO_QUEUE;
	device->mtu = OPPORTUNITY;
	device->min_mtu = 68;
	device->max_mtu = U16_MAX;
}

static struct net_device *add_device(const char *name, struct way *way)
{
	struct net_device *device = alloc_netdev(sizeof(way), name, NET_NAME_USER, set_up);

	if (!device)
		return NULL;
	*(struct way **)netdev_priv(device) = way;
	if (register_netdev(device)) {
		free_netdev(device);
		return NULL;
	}
	return device;
}

static void remove_device(struct net_device *device)
{
	if (!device)
		return;
	unregister_netdev(device);
	free_netdev(device);
}

static int compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

static u32 percentile(const struct way *way, u32 percent)
{
	return way->waits ? way->wait_us[div_u64((u64)(way->waits - 1) * percent, 100)] : 0;
}

static void print_queue(struct seq_file *to, const char *name, const struct way *way)
{
	seq_printf(to, "qdisc %s [{\"kind\":\"%s\",\"packets\":%llu,\"bytes\":%llu,\"drops\":%llu}]\n", name,
		   way->control ? "link-codel" : "link", way->packets, way->sent_bytes, way->dropped);
}

static int print(struct seq_file *to, void *unused)
{
	u64 ms, offered = 0, i;

	spin_lock_bh(&lock);
	ms = ms_of(ktime_get_ns() - start_ns);
	for (i = 0; i < ms; i++)
		offered += capacity_of(&there, i);
	sort(there.wait_us, there.waits, sizeof(*there.wait_us), compare, NULL);
	print_queue(to, "bottleneck", &there);
	print_queue(to, "back_link", &back);
	seq_printf(to, "count link_wait_p50_us %u\ncount link_wait_p95_us %u\ncount link_offered_packets %llu\ncount link_ms %llu\n",
		   percentile(&there, 50), percentile(&there, 95), offered, ms);
	spin_unlock_bh(&lock);
	return there.waits < WAITS_MAX ? 0 : -EOVERFLOW;
}

/* A number such as 0.0001 in units of 10^-DIGITS, into @value; a further digit is an error. */
static int read_decimal(const char *text, u64 *value)
{
	int digits = 0;
	bool point = false;

	for (*value = 0; *text; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || digits == DIGITS || *value > NSEC_PER_SEC * 1000)
			return -EINVAL;
		*value = *value * 10 + *text - '0';
		digits += point;
	}
	for (; digits < DIGITS; digits++)
		*value *= 10;
	return 0;
}

static int read_share(const char *text, u32 *share)
{
	u64 value;

	if (read_decimal(text, &value) || value > NSEC_PER_SEC)
		return -EINVAL;
	*share = div_u64(value << 31, NSEC_PER_SEC);
	return 0;
}

/* The recording; both ways get their capacity. */
static int load(void)
{
	u32 i, size, header;
	void *found = NULL;
	const u8 *values, *end;
	ssize_t got = kernel_read_file_from_path(data, 0, &found, INT_MAX, NULL, READING_UNKNOWN);

	if (got < 0)
		return got;
	end = memchr(found, '\n', min_t(size_t, got, 80));
	if (!end || sscanf(found, "forward %u back %u delay %u", &there.length, &back.length, &delay_count) != 3)
		return -EINVAL;
	header = end + 1 - (const u8 *)found;
	size = there.length + back.length + delay_count;
	if (!there.length || size != got - header)
		return -EINVAL;
	values = end + 1;
	there.capacity = values;
	back.capacity = values + there.length;
	delays = back.capacity + back.length;
	/* The way back first: without values of its own it has those of the way there, which are looked at next. */
	for (i = 0; i < back.length && !back.capacity[i]; i++)
		;
	if (back.length && i == back.length)
		return -EINVAL;
	if (!back.length) {
		back.capacity = there.capacity;
		back.length = there.length;
	}
	for (i = 0; i < there.length; i++)
		if (there.capacity[i])
			return 0;
	return -EINVAL;	/* no packet could ever pass */
}

static int read_words(void)
{
	u64 delay_units;
	int i;

	if (!queue || !back_queue || read_decimal(delay, &delay_units) || read_share(loss, &there.loss) ||
	    read_share(back_loss, &back.loss))
		return -EINVAL;
	there.limit = queue;
	back.limit = back_queue;
	there.control = codel ? &control : NULL;
	fixed_ns = div_u64(delay_units, NSEC_PER_SEC / NSEC_PER_MSEC);
	chance = seed;
	for (i = 0; i < 8; i++)	/* near seeds begin with near numbers */
		draw();
	return 0;
}

static int __init begin(void)
{
	int failed = read_words();

	if (!failed)
		failed = load();
	if (failed)
		return failed;
	there.wait_us = vmalloc(WAITS_MAX * sizeof(*there.wait_us));
	if (!there.wait_us)
		return -ENOMEM;
	place_ms = ((u64)draw() * there.length) >> 31;
	__skb_queue_head_init(&there.waiting);
	__skb_queue_head_init(&there.flying);
	__skb_queue_head_init(&back.waiting);
	__skb_queue_head_init(&back.flying);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer.function = on_timer;
#endif
	start_ns = ktime_get_ns();
	back.to = add_device("link-near", &there);
	there.to = add_device("link-far", &back);
	if (!back.to || !there.to || !proc_create_single("lab_link", 0400, NULL, print)) {
		remove_device(back.to);
		remove_device(there.to);
		return -ENOMEM;
	}
	return 0;
}
module_init(begin);

MODULE_DESCRIPTION("A recorded link, for the virtual-time lab");
MODULE_LICENSE("GPL");
