//go:build ga && mpi && cgo

/* signals.c - the Go runtime turns faults of its own code, such as those on a mapped file that was
 * cut short, into errors, if it gets their signals. The runtime of Fortran replaces its handlers
 * when a program starts, and a program may have its own. So the library's handler is in place
 * within a call, and as long as requests use files in the background; otherwise the handlers are
 * those of the program. The library is called by one thread, one call at a time.
 *
 * The handler calls that of Go, which is the one of SIGURG: nobody else wants that signal. Go's
 * handler passes what is not a fault of code in Go to the handler that it found when it was
 * installed. That is to_program, as before_go runs before Go does. */
#include <signal.h>
#include <stddef.h>

#include "internal.h"

enum { FAULTS = 3 };

static const int faults[FAULTS] = {SIGSEGV, SIGBUS, SIGFPE};
static struct sigaction program[FAULTS]; /* its handlers */
static struct sigaction go;
static int depth, background;

static void give_back(void)
{
	for (int i = 0; i < FAULTS; i++)
		sigaction(faults[i], &program[i], NULL);
}

/* to_program gives the program its handlers back. Then the instruction that has failed does so
 * again, or the signal is sent again, and the program gets it as if the library were not there. */
static void to_program(int sig, siginfo_t *info, void *context)
{
	(void)context;
	give_back();
	if (info->si_code <= 0) /* it was sent */
		raise(sig);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	if (info->si_code <= 0) /* Go would end the program */
		to_program(sig, info, context);
	else
		go.sa_sigaction(sig, info, context);
}

/* Constructors without a number, like that of Go, are called later. */
__attribute__((constructor(101))) static void before_go(void)
{
	struct sigaction ours = {.sa_sigaction = to_program, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigfillset(&ours.sa_mask);
	for (int i = 0; i < FAULTS; i++)
		sigaction(faults[i], &ours, &program[i]);
}

void pextac_enter(void)
{
	struct sigaction ours, found;

	if (depth++ > 0)
		return;
	sigaction(SIGURG, NULL, &go);
	ours = go;
	ours.sa_sigaction = on_fault;
	for (int i = 0; i < FAULTS; i++) {
		sigaction(faults[i], &ours, &found);
		if (found.sa_sigaction != on_fault && found.sa_sigaction != go.sa_sigaction)
			program[i] = found;
	}
}

void pextac_leave(void)
{
	if (--depth == 0 && !background)
		give_back();
}

void pextac_background(int busy) { background = busy; }
