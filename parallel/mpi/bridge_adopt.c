//go:build mpi && cgo

#include "bridge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

uintptr_t bridge_thread(void) { return (uintptr_t)pthread_self(); }

int bridge_running(int *running, int *level, int *main) {
	int begun = 0, ended = 0, err = MPI_Initialized(&begun);
	*running = *main = 0;
	*level = BRIDGE_MULTIPLE;
	if (err == MPI_SUCCESS)
		err = MPI_Finalized(&ended);
	if (err != MPI_SUCCESS || !begun || ended)
		return err;
	*running = 1;
	if ((err = MPI_Query_thread(level)) != MPI_SUCCESS)
		return err;
	*level = *level == MPI_THREAD_SINGLE     ? BRIDGE_SINGLE
	         : *level == MPI_THREAD_FUNNELED ? BRIDGE_FUNNELED
	         : *level == MPI_THREAD_MULTIPLE ? BRIDGE_MULTIPLE
	                                         : BRIDGE_SERIALIZED;
	return MPI_Is_thread_main(main);
}

int bridge_usable(int handle, int *usable) {
	MPI_Comm c = MPI_Comm_f2c(handle);
	int inter = 0, err;
	*usable = 0;
	if (c == MPI_COMM_NULL)
		return MPI_SUCCESS;
	err = MPI_Comm_test_inter(c, &inter);
	*usable = err == MPI_SUCCESS && !inter;
	return err;
}

int bridge_dup_of(int handle, MPI_Comm *dup) { return bridge_dup(MPI_Comm_f2c(handle), dup); }

// A mark is what a communicator of the program carries while its group is in use: the number of the
// group.
struct bridge_mark {
	int handle, freed;
	int64_t number;
};

static int key = MPI_KEYVAL_INVALID;

// freed notes that the program has freed the communicator, or bridge_unmark the mark: the handle
// means nothing any more.
static int freed(MPI_Comm c, int k, void *mark, void *extra) {
	(void)c;
	(void)k;
	(void)extra;
	((struct bridge_mark *)mark)->freed = 1;
	return MPI_SUCCESS;
}

int bridge_marked(int handle, int64_t *number) {
	struct bridge_mark *m = NULL;
	int there = 0, err = MPI_SUCCESS;
	*number = 0;
	if (key == MPI_KEYVAL_INVALID) // a duplicate of the communicator is another one: it gets no mark
		err = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freed, &key, NULL);
	if (err == MPI_SUCCESS)
		err = MPI_Comm_get_attr(MPI_Comm_f2c(handle), key, &m, &there);
	if (err == MPI_SUCCESS && there)
		*number = m->number;
	return err;
}

int bridge_mark(int handle, int64_t number, struct bridge_mark **mark) {
	struct bridge_mark *m = calloc(1, sizeof *m);
	int err = m ? MPI_SUCCESS : MPI_ERR_NO_MEM;
	if (err == MPI_SUCCESS) {
		m->handle = handle;
		m->number = number;
		err = MPI_Comm_set_attr(MPI_Comm_f2c(handle), key, m);
	}
	*mark = m;
	return err;
}

int bridge_unmark(struct bridge_mark *m) {
	int err = MPI_SUCCESS;
	if (!m->freed)
		err = MPI_Comm_delete_attr(MPI_Comm_f2c(m->handle), key);
	free(m);
	return err;
}

int bridge_cancel_active(MPI_Request *r) { return *r == MPI_REQUEST_NULL ? MPI_SUCCESS : bridge_cancel(r); }
