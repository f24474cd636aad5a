// SPDX-License-Identifier: GPL-2.0
/*
 * Pauses the machine at one exact instruction, for the host to save it.
 *
 * QEMU's main loop takes a machine that it has just paused for an idle one,
 * and if it looks before it has noticed the pause, it moves the clock on to
 * the next timer, by chance. So the two that run, that of the CPU and the daily
 * alarm of the real-time clock, are switched off; with none pending there is
 * nothing to move on to. PVPANIC_PORT comes from engine_stock.py.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/io.h>
#include <sys/mman.h>

#define PVPANIC_PANICKED 1
#define APIC_BASE 0xfee00000	/* Intel SDM vol. 3, 11.4.1 */
#define APIC_INITIAL_COUNT 0x380	/* bytes from there; writing 0 stops the timer, another value starts it */
#define RTC_INDEX 0x70
#define RTC_DATA 0x71
#define RTC_A 10	/* register A; its bits 4 to 6 set to 6 or 7 hold the clock (MC146818 data sheet), which nobody reads from here on */
#define RTC_HELD 0x60
#define SOON 1000	/* ticks of the timer until the kernel gets the interrupt that it still expects, and sets the next one */

int main(void)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC);
	volatile uint32_t *apic;

	if (fd < 0)
		err(1, "/dev/mem");
	apic = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, APIC_BASE);
	if (apic == MAP_FAILED)
		err(1, "the CPU's timer; the kernel needs iomem=relaxed");
	if (ioperm(PVPANIC_PORT, 1, 1) || ioperm(RTC_INDEX, 2, 1))
		err(1, "ports");
	outb(RTC_A, RTC_INDEX);
	outb(inb(RTC_DATA) | RTC_HELD, RTC_DATA);
	(void)*apic;	/* so that no page fault comes between */

	apic[APIC_INITIAL_COUNT / 4] = 0;
	outb(PVPANIC_PANICKED, PVPANIC_PORT);
	apic[APIC_INITIAL_COUNT / 4] = SOON;
	return 0;
}
