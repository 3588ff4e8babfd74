/* fork.c - a child made by fork gets an error from every call, at once; one that calls exec
 * works. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

extern char **environ;

static drx_array a;
static int64_t lo[1], hi[1];

static int part(void *user, int rank, const int64_t *from, const int64_t *to, int64_t number)
{
	(void)user, (void)rank, (void)from, (void)to, (void)number;
	return 0;
}

/* in_child calls functions of every kind in a child made by fork. */
static void in_child(void)
{
	drx_array b;
	char *text;
	int32_t v = 1;
	int n;

	alarm(10); /* a call that hangs ends the child by a signal */
	WANT(DRX_EFORK, drx_get(a, 1, lo, DRX_INT32, &v));
	SAYS("drx_get: ");
	SAYS("fork");
	WANT(DRX_EFORK, drx_set(a, 1, lo, DRX_INT32, &v));
	WANT(DRX_EFORK, drx_read(a, 1, NULL, NULL, NULL, DRX_INT32, &v, 4, NULL));
	WANT(DRX_EFORK, drx_open("a", DRX_READ, NULL, &b));
	WANT(DRX_EFORK, drx_walk(a, 1, NULL, NULL, NULL, 0, part, NULL));
	WANT(DRX_EFORK, drx_info(a, &text));
	WANT(DRX_EFORK, drx_exists("a", &n));
	WANT(DRX_EFORK, drx_sync(a));
	WANT(DRX_EFORK, drx_discard(a));
	WANT(DRX_EFORK, drx_close(a));
	CHECK(strcmp(drx_version(), "unknown") != 0); /* known from the parent */
	CHECK(drx_dtype_size(DRX_INT32) == 4);
	_exit(0);
}

static void wait_for(pid_t child)
{
	int status;

	CHECK(child > 0);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* in_other_program is what this program does when it is started as a child. */
static int in_other_program(const char *name)
{
	drx_array b;
	int64_t shape[] = {1};

	OK(drx_create(name, DRX_INT32, 1, shape, NULL, &b));
	OK(drx_close(b));
	return 0;
}

int main(int argc, char **argv)
{
	int64_t shape[] = {1};
	int32_t v = 42;
	pid_t child;

	if (argc > 1)
		return in_other_program(argv[1]);
	OK(drx_create("a", DRX_INT32, 1, shape, NULL, &a));
	OK(drx_set(a, 1, lo, DRX_INT32, &v));
	CHECK(drx_version()[0] != 0);

	child = fork();
	if (child == 0)
		in_child();
	wait_for(child);

	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* runs no handler of pthread_atfork */
	if (child == 0)
		in_child();
	wait_for(child);

	child = fork();
	if (child == 0) {
		execl(argv[0], argv[0], "b", (char *)NULL);
		_exit(1);
	}
	wait_for(child);
	child = vfork();
	if (child == 0) {
		execl(argv[0], argv[0], "c", (char *)NULL);
		_exit(1);
	}
	wait_for(child);
	CHECK(posix_spawn(&child, argv[0], NULL, NULL, (char *[]){argv[0], "d", NULL}, environ) == 0);
	wait_for(child);

	OK(drx_extend(a, 0, 1, DRX_HIGH, 1, lo, hi)); /* the parent goes on */
	OK(drx_set(a, 1, lo, DRX_INT32, &v));
	OK(drx_close(a));
	return 0;
}
