/* faults.c - faults within the library are errors, in the background too, and the program keeps its
 * own handlers of signals: faults FILE */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "../check.h"

enum { KINDS = 3 };

extern int pextago_fault(int kind), pextago_fault_creating(int kind), pextago_fault_later(int kind, int array);
extern void pextac_enter(void), pextac_leave(void);

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
static sigjmp_buf back;
static volatile sig_atomic_t seen;

static void handler(int sig)
{
	seen = sig;
	siglongjmp(back, 1);
}

/* own checks that the handlers are those of the program. */
static void own(void)
{
	struct sigaction now;

	for (int i = 0; i < 3; i++) {
		sigaction(signals[i], NULL, &now);
		CHECK(now.sa_handler == handler);
	}
}

/* program_fails checks that a fault of the program and a signal that it sends get to its
 * handler. */
static void program_fails(int sent)
{
	seen = 0;
	if (sigsetjmp(back, 1) == 0) {
		if (sent)
			raise(SIGFPE);
		else
			*(volatile int *)8 = 1;
	}
	CHECK(seen == (sent ? SIGFPE : SIGSEGV));
}

static int later(int kind, int array)
{
	int request;

	pextac_enter();
	request = pextago_fault_later(kind, array);
	pextac_leave();
	return request;
}

/* here fails within a call. */
static int here(int kind)
{
	int code;

	pextac_enter();
	code = pextago_fault(kind);
	pextac_leave();
	return code;
}

static int creating(int kind)
{
	int code;

	pextac_enter();
	code = pextago_fault_creating(kind);
	pextac_leave();
	return code;
}

/* cut_short reads a file that another program has cut short, which is an error, and goes on with
 * another one. */
static void cut_short(char *file)
{
	char data[4096];
	int p, r, g;
	pexta_size_t dims[] = {600, 700}, req[] = {-1, -1};

	for (int open = 0; open < 2; open++) { /* when it was cut */
		g = matrix(600, 700, 0.5);
		CHECK(PEXTA_Create(C_DBL, 2, dims, "a", file, PEXTA_RW, req, g, &p) == 0);
		CHECK(PEXTA_Write(g, p, &r) == 0 && PEXTA_Wait(r) == 0 && PEXTA_Close(p) == 0);
		CHECK(PEXTA_Open(file, PEXTA_R, &p) == 0);
		CHECK(PEXTA_Read(g, p, &r) == 0 && PEXTA_Wait(r) == 0 && wrong(g, 600, 700, 0.5, 0) == 0); /* now it is mapped */
		if (!open)
			CHECK(PEXTA_Close(p) == 0);
		GA_Sync();
		snprintf(data, sizeof data, "%s.xta", file); /* where the elements are */
		if (GA_Nodeid() == 0)
			CHECK(truncate(data, 100000) == 0);
		GA_Sync();
		if (open || PEXTA_Open(file, PEXTA_R, &p) == 0) {
			CHECK(PEXTA_Read(g, p, &r) != 0 || PEXTA_Wait(r) == -1);
			own();
			CHECK(PEXTA_Close(p) == 0);
		}
		CHECK(wrong(g, 0, 0, 0, 0) > 0); /* Global Arrays and the program go on */
		GA_Destroy(g); /* whose elements may be anything after an error */
	}
	g = matrix(600, 700, 0.5);
	CHECK(PEXTA_Create(C_DBL, 2, dims, "a", file, PEXTA_RW, req, g, &p) == 0);
	CHECK(PEXTA_Write(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	CHECK(PEXTA_Delete(p) == 0);
	GA_Destroy(g);
}

/* soon checks that a call has taken a few seconds at most since begun. */
static void soon(double begun) { CHECK(MPI_Wtime() - begun < 5); }

/* one_fails lets the last process fail while the others are in a call: it is an error of all. Then
 * the array must be closed, and has what was committed. */
static void one_fails(char *file)
{
	int p, q, r, w, g = matrix(20, 30, 0.5), last = GA_Nodeid() == GA_Nnodes() - 1, failed, type, n;
	pexta_size_t dims[] = {20, 30}, req[] = {-1, -1}, more[] = {5, 5}, order[] = {0, 1}, found[7];

	CHECK(PEXTA_Create(C_DBL, 2, dims, "a", file, PEXTA_RW, req, g, &p) == 0);
	CHECK(PEXTA_Write(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	for (int call = 0; call < 6; call++) {
		double begun = MPI_Wtime();
		CHECK(PEXTA_Read(g, p, &r) == 0);
		if (last)
			failed = here(call % KINDS);
		else
			switch (call) {
			case 0: failed = PEXTA_Write(g, p, &w); break;
			case 1: failed = PEXTA_Wait(r); break;
			case 2: failed = PEXTA_Extend(p, more, order, &w); break;
			case 3: failed = PEXTA_Probe(r, &w); break;
			case 4: failed = PEXTA_IRead(g, p, &w); break;
			default: failed = PEXTA_Create(C_DBL, 2, dims, "b", file, PEXTA_RW, req, g, &q); break;
			}
		CHECK(failed == -1);
		CHECK(PEXTA_Write(g, p, &w) == -1); /* for all from now on */
		CHECK(call % 2 == 0 ? PEXTA_Close(p) == -1 : PEXTA_Delete(p) == -1);
		soon(begun);
		GA_Zero(g);
		CHECK(PEXTA_Open(file, PEXTA_RW, &p) == 0);
		CHECK(PEXTA_Inquire(p, &type, &n, found, NULL, NULL) == 0 && found[0] == 20 && found[1] == 30);
		CHECK(PEXTA_Read(g, p, &r) == 0 && PEXTA_Wait(r) == 0 && wrong(g, 20, 30, 0.5, 0) == 0);
	}
	CHECK(PEXTA_Delete(p) == 0);
	for (int kind = 0; kind < KINDS; kind++) { /* no array is open */
		double begun = MPI_Wtime();
		CHECK((last ? creating(kind) : PEXTA_Create(C_DBL, 2, dims, "a", file, PEXTA_RW, req, g, &p)) == -1);
		soon(begun);
	}
	GA_Destroy(g);
}

int main(int argc, char **argv)
{
	struct sigaction mine = {.sa_handler = handler};
	pexta_size_t dims[] = {10}, req[] = {-1};
	int p, r, kind;

	start(&argc, &argv);
	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &mine, NULL);
	CHECK(argc == 2 && PEXTA_Init(-1, -1, -1, -1) == 0);
	for (int round = 0; round < 3; round++) {
		for (kind = 0; kind < KINDS; kind++)
			CHECK(here(kind) == -1);
		own();
		program_fails(round % 2);
	}
	CHECK(PEXTA_Create(C_INT, 1, dims, "faults", argv[1], PEXTA_RW, req, -1, &p) == 0);
	for (kind = 0; kind < KINDS; kind++) {
		r = later(kind, p);
		usleep(300000); /* meanwhile it fails */
		CHECK(PEXTA_Wait(r) == -1);
		own();
	}
	for (int sent = 0; sent < 2; sent++) {
		r = later(KINDS, p); /* goes well */
		program_fails(sent);
		CHECK(PEXTA_Wait(r) == 0);
		own();
	}
	CHECK(PEXTA_Delete(p) == 0);
	one_fails(argv[1]);
	cut_short(argv[1]);
	CHECK(PEXTA_Terminate() == 0);
	return end();
}
