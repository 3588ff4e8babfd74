/* process.c - tells a child made by fork from the process that loaded the library.
 *
 * Only the forking thread lives on in a child, without the other threads of the Go runtime: a call
 * into Go would wait for them forever. So every call asks drxc_forked first. pthread_atfork notices
 * fork(). A page that the kernel wipes in a child also notices clone() and _Fork(), which run no
 * handlers. Both cost a call no more than two loads, where getpid() is a system call. vfork() and
 * posix_spawn() share the memory of the parent, and change nothing. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

static volatile sig_atomic_t forked;
static volatile sig_atomic_t never_wiped = 1;
static volatile sig_atomic_t *alive = &never_wiped;

static void in_child(void)
{
	forked = 1;
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, in_child);
#ifdef MADV_WIPEONFORK
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return;
	if (madvise(page, size, MADV_WIPEONFORK) != 0) {
		munmap(page, size);
		return;
	}
	*(volatile sig_atomic_t *)page = 1;
	alive = page;
#endif
}

int drxc_forked(void)
{
	return forked || !*alive;
}

int drxc_refuse_child(const char *function)
{
	return drxc_failed(DRX_EFORK, function, "called in a child process made by fork: call exec there, or make the processes before this "
		"library is loaded");
}
