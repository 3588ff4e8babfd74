/* killed.c - a program that extends and writes an array until one of its processes is killed:
 * killed FILE write|extend VICTIM PERCENT
 *
 * Every round extends the array by a row, lets the global array grow, and writes the number of the
 * round to all elements. After each commit process 0 appends "extended ROUND" or "written ROUND" to
 * FILE.announced. In the last round the victim gets SIGKILL in the call of that name, after so many
 * percent of the time that the call has taken before.
 */
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 10, COLUMNS = 30000, LAST = 4 };

static int announced;

static void announce(const char *what, int round)
{
	char line[50];
	int n = snprintf(line, sizeof line, "%s %d\n", what, round);

	if (GA_Nodeid() == 0 && write(announced, line, n) != n)
		GA_Error("announce", 0);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* kill_after kills this process after some seconds, whatever it does then. */
static void kill_after(double seconds)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	struct itimerspec time = {.it_value = {.tv_sec = (time_t)seconds, .tv_nsec = 1 + (long)(1e9 * (seconds - (time_t)seconds))}};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &time, NULL) != 0)
		GA_Error("timer", 0);
}

/* check ends the program, with another message than that of a killed one. */
static void check(int code, char *what)
{
	if (code != 0)
		GA_Error(what, code);
}

int main(int argc, char **argv)
{
	int p, r, dims[] = {ROWS, COLUMNS}, chunk[] = {-1, -1}, g, writes;
	pexta_size_t shape[] = {ROWS, COLUMNS}, req[] = {3, 5000}, more[] = {1, 0}, order[] = {0, -1};
	char name[4096];
	double begun, took = 0;

	start(&argc, &argv);
	writes = strcmp(argv[2], "write") == 0;
	snprintf(name, sizeof name, "%s.announced", argv[1]);
	announced = open(name, O_CREAT | O_WRONLY | O_APPEND, 0666);
	g = NGA_Create(C_INT, 2, dims, "g", chunk);
	check(PEXTA_Init(-1, -1, -1, 1 << 20), "PEXTA_Init");
	check(PEXTA_Create(C_INT, 2, shape, "killed", argv[1], PEXTA_RW, req, g, &p), "PEXTA_Create");
	for (int round = 1;; round++) {
		int victim = round >= LAST && GA_Nodeid() == atoi(argv[3]);

		GA_Sync();
		if (victim && !writes)
			kill_after(took * atoi(argv[4]) / 100);
		begun = now();
		check(PEXTA_Extend(p, more, order, &r) || PEXTA_Wait(r), "PEXTA_Extend");
		if (!writes)
			took = now() - begun;
		announce("extended", round);
		check(PEXTA_IRead(g, p, &r) || PEXTA_Wait(r), "PEXTA_IRead");
		GA_Fill(g, &round);
		if (victim && writes)
			kill_after(took * atoi(argv[4]) / 100);
		begun = now();
		check(PEXTA_Write(g, p, &r) || PEXTA_Wait(r), "PEXTA_Write");
		if (writes)
			took = now() - begun;
		announce("written", round);
	}
}
