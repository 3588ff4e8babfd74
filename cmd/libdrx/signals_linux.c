/* signals_linux.c - keeps the Go runtime from taking the signals of the host.
 *
 * When the library is loaded, the Go runtime installs handlers of SIGSEGV, SIGBUS, SIGFPE, SIGURG
 * and SIGPIPE. It needs the first three to turn faults in its own code into errors, as those on a
 * mapped file that was cut short, and SIGURG to interrupt its threads. It passes on faults in other
 * code, but neither signals that a process sends, nor SIGURG. So:
 *
 *   1. before() runs before the runtime's constructor. It remembers the host's actions and installs
 *      to_host(), to which the runtime then passes faults that are not its own. It blocks signals,
 *      so that the threads that the runtime creates inherit that and the host's threads get the
 *      host's signals.
 *   2. The runtime starts.
 *   3. after() puts first() in front of the runtime: it passes on to it what is meant for it, and
 *      everything else to the host. SIGPIPE gets back the action of the host: the library writes
 *      to pipes on threads of the runtime only, which block it.
 *
 * The host may replace these handlers at any time. drx_signals() then puts first() in front
 * again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "internal.h"

/* The signals that the runtime needs. */
static const int needed[] = {SIGSEGV, SIGBUS, SIGFPE, SIGURG};

#define NEEDED (sizeof needed / sizeof *needed)

typedef void (*handler)(int, siginfo_t *, void *);

/* A host_action is an action of the host. A replaced one is not freed, because a handler may be
 * using it: the next one keeps it. */
struct host_action {
	struct sigaction action;
	struct host_action *before;
};

static struct host_action *_Atomic host_actions[NSIG];
static _Atomic(handler) go_handlers[NSIG];
static struct sigaction host_pipe;
static sigset_t host_mask;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* die takes the default action of a signal: at once for a fault, when the handler returns
 * otherwise. */
static void die(int sig, siginfo_t *info)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};

	sigaction(sig, &dfl, NULL);
	if (info->si_code <= 0)
		raise(sig);
}

/* to_host gives a signal to the host, with the signals blocked that the host's action wants
 * blocked. */
static void to_host(int sig, siginfo_t *info, void *context)
{
	struct host_action *a = atomic_load(&host_actions[sig]);
	struct sigaction *h = a ? &a->action : NULL;
	sigset_t mask;

	if (!h || h->sa_handler == SIG_DFL || (h->sa_handler == SIG_IGN && info->si_code > 0)) {
		if (sig != SIGURG) /* which is ignored by default */
			die(sig, info);
		return;
	}
	if (h->sa_handler == SIG_IGN)
		return;
	sigorset(&mask, &((ucontext_t *)context)->uc_sigmask, &h->sa_mask);
	if (!(h->sa_flags & SA_NODEFER))
		sigaddset(&mask, sig);
	if (h->sa_flags & SA_RESETHAND)
		atomic_store(&host_actions[sig], NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (h->sa_flags & SA_SIGINFO)
		h->sa_sigaction(sig, info, context);
	else
		h->sa_handler(sig);
}

/* first gives a signal to the Go runtime if it is a fault, which the runtime passes on unless it is
 * its own, or the signal with which the runtime interrupts its threads. */
static void first(int sig, siginfo_t *info, void *context)
{
	handler go = atomic_load(&go_handlers[sig]);
	int for_go = sig == SIGURG ? info->si_code == SI_TKILL && info->si_pid == getpid() : info->si_code > 0;

	(go && for_go ? go : to_host)(sig, info, context);
}

static void install(int sig, handler f)
{
	struct sigaction action = {.sa_sigaction = f, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	sigfillset(&action.sa_mask); /* as the runtime does */
	sigaction(sig, &action, NULL);
}

static void remember(int sig, const struct sigaction *action)
{
	struct host_action *copy = malloc(sizeof *copy);

	if (!copy)
		return; /* the signal keeps the action that is known */
	copy->action = *action;
	copy->before = atomic_load(&host_actions[sig]);
	atomic_store(&host_actions[sig], copy);
}

__attribute__((constructor(101))) static void before(void)
{
	static const int unblocked[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGURG};
	struct sigaction now;
	sigset_t mask;

	for (size_t i = 0; i < NEEDED; i++) {
		sigaction(needed[i], NULL, &now);
		remember(needed[i], &now);
		install(needed[i], to_host);
	}
	sigaction(SIGPIPE, NULL, &host_pipe);
	sigfillset(&mask);
	for (size_t i = 0; i < sizeof unblocked / sizeof *unblocked; i++)
		sigdelset(&mask, unblocked[i]);
	pthread_sigmask(SIG_BLOCK, &mask, &host_mask);
}

/* drxc_install_signals puts first in front of the runtime's handlers. It changes nothing where that
 * was done or where the host has put a handler of its own since. */
void drxc_install_signals(void)
{
	struct sigaction now;

	pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < NEEDED; i++) {
		int sig = needed[i];
		if (atomic_load(&go_handlers[sig]))
			continue;
		sigaction(sig, NULL, &now);
		if (now.sa_sigaction == to_host) /* the runtime has not started */
			continue;
		atomic_store(&go_handlers[sig], now.sa_sigaction);
		install(sig, first);
		if (i == 0)
			sigaction(SIGPIPE, &host_pipe, NULL);
	}
	pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void after(void)
{
	drxc_install_signals();
	pthread_sigmask(SIG_SETMASK, &host_mask, NULL);
}

/* drxc_use_alternate_stacks sets SA_ONSTACK for all handlers of the host. */
void drxc_use_alternate_stacks(void)
{
	struct sigaction now;

	for (int sig = 1; sig < 32; sig++) {
		if (sig == SIGKILL || sig == SIGSTOP || sigaction(sig, NULL, &now) != 0)
			continue;
		if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN || now.sa_flags & SA_ONSTACK)
			continue;
		now.sa_flags |= SA_ONSTACK;
		sigaction(sig, &now, NULL);
	}
}

int drx_signals(void)
{
	struct sigaction now;

	pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < NEEDED; i++) {
		int sig = needed[i];
		sigaction(sig, NULL, &now);
		if (now.sa_sigaction == first || !atomic_load(&go_handlers[sig]))
			continue;
		remember(sig, &now);
		install(sig, first);
	}
	pthread_mutex_unlock(&mutex);
	drxc_use_alternate_stacks();
	return DRX_OK;
}
