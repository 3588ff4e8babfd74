//go:build mpi && cgo

#include "pmpi.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_t thread;
static atomic_int counting;
static atomic_long calls, foreign, world;
static _Atomic(const char *) first;

void pmpi_begin(void) {
	thread = pthread_self();
	calls = foreign = world = 0;
	first = NULL;
	counting = 1;
}

long pmpi_calls(void) { return calls; }
long pmpi_foreign(void) { return foreign; }
long pmpi_world(void) { return world; }

const char *pmpi_first(void) {
	const char *name = first;
	return name ? name : "";
}

// count counts a call of a function.
static void count(const char *name, int of_world) {
	const char *none = NULL;
	int elsewhere;
	if (!counting)
		return;
	elsewhere = !pthread_equal(thread, pthread_self());
	calls++;
	foreign += elsewhere;
	world += of_world;
	if (elsewhere || of_world)
		atomic_compare_exchange_strong(&first, &none, name);
}

// WITHOUT is a function without a communicator, or one that may have that of the program; in WITH
// it is the argument c.
#define WITHOUT(name, params, args) \
	int MPI_##name params { \
		count(#name, 0); \
		return PMPI_##name args; \
	}
#define WITH(name, c, params, args) \
	int MPI_##name params { \
		count(#name, (c) == MPI_COMM_WORLD); \
		return PMPI_##name args; \
	}

WITHOUT(Accumulate, (const void *a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Op h, MPI_Win i), (a, b, c, d, e, f, g, h, i))
WITH(Allgather, g, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g), (a, b, c, d, e, f, g))
WITH(Allgatherv, h, (const void *a, int b, MPI_Datatype c, void *d, const int *e, const int *f, MPI_Datatype g, MPI_Comm h), (a, b, c, d, e, f, g, h))
WITH(Allreduce, f, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), (a, b, c, d, e, f))
WITH(Alltoall, g, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g), (a, b, c, d, e, f, g))
WITH(Alltoallw, i, (const void *a, const int *b, const int *c, const MPI_Datatype *d, void *e, const int *f, const int *g, const MPI_Datatype *h, MPI_Comm i), (a, b, c, d, e, f, g, h, i))
WITH(Barrier, a, (MPI_Comm a), (a))
WITH(Bcast, e, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e))
WITHOUT(Cancel, (MPI_Request *a), (a))
WITHOUT(Comm_create_keyval, (MPI_Comm_copy_attr_function *a, MPI_Comm_delete_attr_function *b, int *c, void *d), (a, b, c, d))
WITHOUT(Comm_delete_attr, (MPI_Comm a, int b), (a, b))
WITHOUT(Comm_dup, (MPI_Comm a, MPI_Comm *b), (a, b))
WITHOUT(Comm_free, (MPI_Comm *a), (a))
WITHOUT(Comm_get_attr, (MPI_Comm a, int b, void *c, int *d), (a, b, c, d))
WITH(Comm_rank, a, (MPI_Comm a, int *b), (a, b))
WITHOUT(Comm_set_attr, (MPI_Comm a, int b, void *c), (a, b, c))
WITH(Comm_set_errhandler, a, (MPI_Comm a, MPI_Errhandler b), (a, b))
WITH(Comm_size, a, (MPI_Comm a, int *b), (a, b))
WITH(Comm_split, a, (MPI_Comm a, int b, int c, MPI_Comm *d), (a, b, c, d))
WITHOUT(Comm_test_inter, (MPI_Comm a, int *b), (a, b))
WITHOUT(Error_string, (int a, char *b, int *c), (a, b, c))
WITHOUT(File_close, (MPI_File *a), (a))
WITHOUT(File_get_size, (MPI_File a, MPI_Offset *b), (a, b))
WITH(File_open, a, (MPI_Comm a, const char *b, int c, MPI_Info d, MPI_File *e), (a, b, c, d, e))
WITHOUT(File_read_at, (MPI_File a, MPI_Offset b, void *c, int d, MPI_Datatype e, MPI_Status *f), (a, b, c, d, e, f))
WITHOUT(File_read_at_all, (MPI_File a, MPI_Offset b, void *c, int d, MPI_Datatype e, MPI_Status *f), (a, b, c, d, e, f))
WITHOUT(File_set_view, (MPI_File a, MPI_Offset b, MPI_Datatype c, MPI_Datatype d, const char *e, MPI_Info f), (a, b, c, d, e, f))
WITHOUT(File_sync, (MPI_File a), (a))
WITHOUT(File_write_at, (MPI_File a, MPI_Offset b, const void *c, int d, MPI_Datatype e, MPI_Status *f), (a, b, c, d, e, f))
WITHOUT(File_write_at_all, (MPI_File a, MPI_Offset b, const void *c, int d, MPI_Datatype e, MPI_Status *f), (a, b, c, d, e, f))
WITHOUT(Finalize, (void), ())
WITHOUT(Finalized, (int *a), (a))
WITH(Gatherv, i, (const void *a, int b, MPI_Datatype c, void *d, const int *e, const int *f, MPI_Datatype g, int h, MPI_Comm i), (a, b, c, d, e, f, g, h, i))
WITHOUT(Get, (void *a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h), (a, b, c, d, e, f, g, h))
WITHOUT(Get_elements_x, (const MPI_Status *a, MPI_Datatype b, MPI_Count *c), (a, b, c))
WITH(Iallgather, g, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g, MPI_Request *h), (a, b, c, d, e, f, g, h))
WITH(Iallreduce, f, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request *g), (a, b, c, d, e, f, g))
WITH(Ibarrier, a, (MPI_Comm a, MPI_Request *b), (a, b))
WITHOUT(Info_create, (MPI_Info *a), (a))
WITHOUT(Info_free, (MPI_Info *a), (a))
WITHOUT(Info_set, (MPI_Info a, const char *b, const char *c), (a, b, c))
WITHOUT(Init_thread, (int *a, char ***b, int c, int *d), (a, b, c, d))
WITHOUT(Initialized, (int *a), (a))
WITH(Irecv, f, (void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request *g), (a, b, c, d, e, f, g))
WITHOUT(Is_thread_main, (int *a), (a))
WITH(Isend, f, (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request *g), (a, b, c, d, e, f, g))
WITHOUT(Put, (const void *a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h), (a, b, c, d, e, f, g, h))
WITHOUT(Query_thread, (int *a), (a))
WITHOUT(Test, (MPI_Request *a, int *b, MPI_Status *c), (a, b, c))
WITHOUT(Type_commit, (MPI_Datatype *a), (a))
WITHOUT(Type_contiguous, (int a, MPI_Datatype b, MPI_Datatype *c), (a, b, c))
WITHOUT(Type_create_hindexed, (int a, const int *b, const MPI_Aint *c, MPI_Datatype d, MPI_Datatype *e), (a, b, c, d, e))
WITHOUT(Type_create_hvector, (int a, int b, MPI_Aint c, MPI_Datatype d, MPI_Datatype *e), (a, b, c, d, e))
WITHOUT(Type_create_struct, (int a, const int *b, const MPI_Aint *c, const MPI_Datatype *d, MPI_Datatype *e), (a, b, c, d, e))
WITHOUT(Type_free, (MPI_Datatype *a), (a))
WITHOUT(Wait, (MPI_Request *a, MPI_Status *b), (a, b))
WITH(Win_allocate, e, (MPI_Aint a, int b, MPI_Info c, MPI_Comm e, void *f, MPI_Win *g), (a, b, c, e, f, g))
WITHOUT(Win_flush, (int a, MPI_Win b), (a, b))
WITHOUT(Win_flush_all, (MPI_Win a), (a))
WITHOUT(Win_flush_local, (int a, MPI_Win b), (a, b))
WITHOUT(Win_free, (MPI_Win *a), (a))
WITHOUT(Win_lock_all, (int a, MPI_Win b), (a, b))
WITHOUT(Win_set_errhandler, (MPI_Win a, MPI_Errhandler b), (a, b))
WITHOUT(Win_sync, (MPI_Win a), (a))
WITHOUT(Win_unlock_all, (MPI_Win a), (a))
