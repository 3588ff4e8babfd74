/* signals.c - the host keeps its signals. The library is loaded by dlopen, so that handlers can be
 * there before it:
 *
 *     signals LIBRARY before     handlers are installed before the library is loaded
 *     signals LIBRARY after      and after it, before the first call
 *     signals LIBRARY crash      no handlers, then a fault of the host: it dies of SIGSEGV, as without the library
 *
 * Compiled with LINKED it is linked with the library, and knows "after" and "crash".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DRX_FUNCTIONS(X) X(error) X(create) X(open) X(close) X(read) X(write) X(signals) X(discard)
#include <drx.h>
#define X(name) static __typeof__(&drx_##name) p_##name;
DRX_FUNCTIONS(X)
#undef X

#define CHECK(x) \
	do { \
		if (!(x)) { \
			printf("line %d: failed: %s (%s)\n", __LINE__, #x, p_error ? p_error() : ""); \
			fflush(stdout); \
			_Exit(1); \
		} \
	} while (0)

static volatile sig_atomic_t counts[NSIG];
static volatile sig_atomic_t strange; /* signals that came to a thread of the library */
static _Thread_local volatile int of_host;
static _Thread_local sigjmp_buf back;
static _Thread_local volatile int expects_fault;

static void count(int sig)
{
	counts[sig]++;
	if (!of_host && (sig == SIGINT || sig == SIGTERM || sig == SIGUSR1 || sig == SIGALRM || sig == SIGPIPE))
		strange = sig;
	if (expects_fault)
		siglongjmp(back, 1);
}

static const int handled[] = {SIGSEGV, SIGBUS, SIGFPE, SIGURG, SIGPIPE, SIGINT, SIGTERM, SIGCHLD, SIGUSR1, SIGALRM, SIGPROF};

static void install(void)
{
	struct sigaction action = {.sa_handler = count}; /* without SA_ONSTACK, as most programs do */

	for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
		CHECK(sigaction(handled[i], &action, NULL) == 0);
}

#ifdef LINKED
static void load(const char *library)
{
	(void)library;
#define X(name) p_##name = drx_##name;
	DRX_FUNCTIONS(X)
#undef X
}
#else
static void load(const char *library)
{
	void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (!l) {
		printf("%s\n", dlerror());
		exit(1);
	}
#define X(name) p_##name = (__typeof__(&drx_##name))dlsym(l, "drx_" #name);
	DRX_FUNCTIONS(X)
#undef X
}
#endif

static double buf[512 * 512];

static void work(const char *name)
{
	drx_array a;
	int64_t shape[] = {512, 512};

	CHECK(p_create(name, DRX_FLOAT64, 2, shape, "{\"chunk\": [64, 64]}", &a) == 0);
	buf[77] = 77;
	CHECK(p_write(a, 2, NULL, NULL, NULL, DRX_FLOAT64, buf, sizeof buf, NULL) == 0);
	memset(buf, 1, sizeof buf);
	CHECK(p_read(a, 2, NULL, NULL, NULL, DRX_FLOAT64, buf, sizeof buf, NULL) == 0);
	CHECK(buf[77] == 77 && buf[78] == 0);
	CHECK(p_close(a) == 0);
}

/* fault faults in code of the host, whose handler jumps back. */
static void fault(void)
{
	int before = counts[SIGSEGV];
	volatile uintptr_t nowhere = 8;

	expects_fault = 1;
	if (!sigsetjmp(back, 1)) {
		*(volatile int *)nowhere = 1;
		CHECK(!"reached");
	}
	expects_fault = 0;
	CHECK(counts[SIGSEGV] == before + 1);
}

/* sent sends every signal to this process, and checks that the host's handler gets it. */
static void sent(void)
{
	for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) {
		int sig = handled[i], before = counts[sig];
		struct timespec pause = {0, 1000000};

		CHECK(raise(sig) == 0);
		if (sig != SIGURG) /* raise looks like the runtime's own, which interrupts its threads by it */
			CHECK(counts[sig] > before);
		before = counts[sig];
		CHECK(kill(getpid(), sig) == 0);
		for (int wait = 0; counts[sig] == before && wait < 2000; wait++)
			nanosleep(&pause, NULL);
		if (counts[sig] == before)
			printf("signal %d is lost\n", sig);
		CHECK(counts[sig] > before);
	}
}

static void broken_pipe(void)
{
	int ends[2], before = counts[SIGPIPE];

	CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
	CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
	CHECK(counts[SIGPIPE] == before + 1);
	close(ends[1]);
}

static void child_ends(void)
{
	int before = counts[SIGCHLD], status;
	pid_t child = fork();
	struct timespec pause = {0, 1000000};

	if (child == 0)
		_exit(7);
	while (waitpid(child, &status, 0) < 0)
		CHECK(errno == EINTR);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	for (int wait = 0; counts[SIGCHLD] == before && wait < 2000; wait++)
		nanosleep(&pause, NULL);
	CHECK(counts[SIGCHLD] > before);
}

static atomic_int storm_over;

static void *storm(void *unused)
{
	(void)unused;
	of_host = 1;
	while (!storm_over) {
		kill(getpid(), SIGINT);
		kill(getpid(), SIGCHLD);
		kill(getpid(), SIGUSR1);
	}
	return NULL;
}

static void *second_thread(void *unused)
{
	(void)unused;
	of_host = 1;
	fault();
	work("other");
	fault();
	return NULL;
}

/* under_signals works while signals come as fast as they can, on small stacks of Go if the host
 * lacks SA_ONSTACK. */
static void under_signals(void)
{
	pthread_t t;

	CHECK(pthread_create(&t, NULL, storm, NULL) == 0);
	for (int i = 0; i < 20; i++) {
		char name[20];
		snprintf(name, sizeof name, "storm%d", i);
		work(name);
	}
	storm_over = 1;
	CHECK(pthread_join(t, NULL) == 0);
	CHECK(counts[SIGINT] > 100 && counts[SIGUSR1] > 100);
}

/* cut_short reads a file that was cut short under the mapping: an error, and not the host's
 * handler. */
static void cut_short(void)
{
	drx_array a;
	int before = counts[SIGBUS];

	CHECK(p_open("storm1", DRX_READ, NULL, &a) == 0);
	CHECK(p_read(a, 2, NULL, NULL, NULL, DRX_FLOAT64, buf, sizeof buf, NULL) == 0);
	CHECK(truncate("storm1.xta", 4096) == 0);
	CHECK(p_read(a, 2, NULL, NULL, NULL, DRX_FLOAT64, buf, sizeof buf, NULL) != 0);
	CHECK(counts[SIGBUS] == before);
	p_discard(a);
}

int main(int argc, char **argv)
{
	int after = argc == 3 && strcmp(argv[2], "after") == 0;
	struct sigaction now;
	pthread_t t;

	of_host = 1;
	if (argc == 3 && strcmp(argv[2], "crash") == 0) {
		load(argv[1]);
		work("first");
		*(volatile int *)(uintptr_t)8 = 1;
	}
	if (!after)
		install();
	load(argv[1]);
	if (after)
		install();
	fault();
	work("first");
	for (size_t i = 5; i < sizeof handled / sizeof *handled; i++) {
		CHECK(sigaction(handled[i], NULL, &now) == 0);
		CHECK(now.sa_handler == count);
		CHECK(now.sa_flags & SA_ONSTACK); /* set by drx_create */
	}
	fault();
	sent();
	broken_pipe();
	child_ends();
	CHECK(pthread_create(&t, NULL, second_thread, NULL) == 0 && pthread_join(t, NULL) == 0);
	under_signals();
	if (after)
		CHECK(p_signals() == 0);
	cut_short();
	fault();
	sent();
	CHECK(p_signals() == 0 && p_signals() == 0);
	fault();
	work("last");
	if (strange)
		printf("signal %d came to a thread of the library\n", strange);
	CHECK(!strange);
	return 0;
}
