//go:build mpi && cgo

#include "bridge.h"

#include <sched.h>
#include <signal.h>

// The handlers of these signals are Go's before and after: some MPIs install ones of their own,
// which would turn a Go panic into the end of the process.
static const int gos[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { ngos = sizeof gos / sizeof gos[0] };

int bridge_init(int *threads) {
	struct sigaction old[ngos];
	int i, err, level = MPI_THREAD_SINGLE;
	for (i = 0; i < ngos; i++)
		sigaction(gos[i], NULL, &old[i]);
	err = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	for (i = 0; i < ngos; i++)
		sigaction(gos[i], &old[i], NULL);
	*threads = level == MPI_THREAD_MULTIPLE;
	if (err == MPI_SUCCESS) // errors of calls without a communicator, as those that make types
		err = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	return err != MPI_SUCCESS ? err : MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

int bridge_finalize(void) { return MPI_Finalize(); }

int bridge_error(int code, char *text, int *length) { return MPI_Error_string(code, text, length); }

// returning makes errors of a new communicator come back instead of ending the job.
static int returning(int err, MPI_Comm c) {
	return err != MPI_SUCCESS ? err : MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
}

int bridge_world(MPI_Comm *c) {
	int err = MPI_Comm_dup(MPI_COMM_WORLD, c);
	return returning(err, *c);
}

int bridge_dup(MPI_Comm c, MPI_Comm *dup) {
	int err = MPI_Comm_dup(c, dup);
	return returning(err, *dup);
}

int bridge_split(MPI_Comm c, int color, int key, MPI_Comm *part, int *some) {
	int err = MPI_Comm_split(c, color < 0 ? MPI_UNDEFINED : color, key, part);
	*some = err == MPI_SUCCESS && *part != MPI_COMM_NULL;
	return *some ? returning(err, *part) : err;
}

int bridge_free(MPI_Comm *c) { return MPI_Comm_free(c); }

int bridge_size(MPI_Comm c, int *proc, int *procs) {
	int err = MPI_Comm_rank(c, proc);
	return err != MPI_SUCCESS ? err : MPI_Comm_size(c, procs);
}

int bridge_test(MPI_Request *r, int times, int *done) {
	int err = MPI_Test(r, done, MPI_STATUS_IGNORE);
	while (err == MPI_SUCCESS && !*done && --times > 0) {
		sched_yield(); // there may be more procs than cores
		err = MPI_Test(r, done, MPI_STATUS_IGNORE);
	}
	return err;
}

int bridge_cancel(MPI_Request *r) {
	int err = MPI_Cancel(r);
	return err != MPI_SUCCESS ? err : MPI_Wait(r, MPI_STATUS_IGNORE);
}

int bridge_imin(MPI_Comm c, int64_t *in, int64_t *out, int n, MPI_Request *r) {
	return MPI_Iallreduce(in, out, n, MPI_INT64_T, MPI_MIN, c, r);
}

int bridge_iallgather(MPI_Comm c, void *in, int n, void *out, MPI_Request *r) {
	return MPI_Iallgather(in, n, MPI_BYTE, out, n, MPI_BYTE, c, r);
}

int bridge_ibarrier(MPI_Comm c, MPI_Request *r) { return MPI_Ibarrier(c, r); }

int bridge_isend(MPI_Comm c, void *buf, int n, int to, MPI_Request *r) {
	return MPI_Isend(buf, n, MPI_BYTE, to, 0, c, r);
}

int bridge_irecv_any(MPI_Comm c, void *buf, int n, MPI_Request *r) {
	return MPI_Irecv(buf, n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, c, r);
}
