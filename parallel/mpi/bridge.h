// What Go calls of MPI. Every function returns MPI's error code. MPI's macros stay in bridge_*.c:
// some are invalid pointers, which Go must not hold, and cgo does not see others.

#ifndef DRX_BRIDGE_H
#define DRX_BRIDGE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

// Start and end. threads tells whether all goroutines may call MPI.
int bridge_init(int *threads);
int bridge_finalize(void);
int bridge_error(int code, char *text, int *length);

// Groups of communicators that the program has made. A handle is one as Fortran has it.
enum { BRIDGE_SINGLE, BRIDGE_FUNNELED, BRIDGE_SERIALIZED, BRIDGE_MULTIPLE };
struct bridge_mark;
uintptr_t bridge_thread(void); // tells threads apart; calls no MPI
int bridge_running(int *running, int *level, int *main);
int bridge_usable(int handle, int *usable); // by a group: neither null nor an inter-communicator
int bridge_dup_of(int handle, MPI_Comm *dup);
int bridge_marked(int handle, int64_t *number); // 0 for none
int bridge_mark(int handle, int64_t number, struct bridge_mark **mark);
int bridge_unmark(struct bridge_mark *mark);

// Communicators. A negative color gives none; *some tells.
int bridge_world(MPI_Comm *c);
int bridge_dup(MPI_Comm c, MPI_Comm *dup);
int bridge_split(MPI_Comm c, int color, int key, MPI_Comm *part, int *some);
int bridge_free(MPI_Comm *c);
int bridge_size(MPI_Comm c, int *proc, int *procs);

// Operations that go on. bridge_test looks at one until it is done, at most so many times.
int bridge_test(MPI_Request *r, int times, int *done);
int bridge_cancel(MPI_Request *r);
int bridge_cancel_active(MPI_Request *r);
int bridge_imin(MPI_Comm c, int64_t *in, int64_t *out, int n, MPI_Request *r);
int bridge_iallgather(MPI_Comm c, void *in, int n, void *out, MPI_Request *r);
int bridge_ibarrier(MPI_Comm c, MPI_Request *r);
int bridge_isend(MPI_Comm c, void *buf, int n, int to, MPI_Request *r);
int bridge_irecv_any(MPI_Comm c, void *buf, int n, MPI_Request *r);

// Collective calls that block. Sizes and counts are bytes unless they say elements.
int bridge_barrier(MPI_Comm c);
int bridge_bcast(MPI_Comm c, void *buf, size_t n, int root);
int bridge_allgather(MPI_Comm c, int64_t mine, int64_t *all);
int bridge_alltoall_lengths(MPI_Comm c, int64_t *mine, int64_t *theirs);
int bridge_gatherv(MPI_Comm c, void *in, int n, void *out, int *counts, int *at, int root);
int bridge_allgatherv(MPI_Comm c, void *in, int n, void *out, int *counts, int *at);
int bridge_alltoall(MPI_Comm c, int procs, uintptr_t *out, int64_t *outn, uintptr_t *in, int64_t *inn);
int bridge_allreduce(MPI_Comm c, void *buf, size_t elements, size_t size, int type, int op);

// A bridge_layout is a par.Layout.
typedef struct {
	size_t offset, bytes;
	int dims;
	int64_t *count, *stride;
} bridge_layout;

int bridge_win_new(MPI_Comm c, size_t n, void **memory, MPI_Win *w);
int bridge_win_free(MPI_Win *w);
int bridge_win_sync(MPI_Win w);
int bridge_win_flush(MPI_Win w, int proc);
int bridge_win_flush_all(MPI_Win w);
int bridge_get(MPI_Win w, int proc, bridge_layout there, void *buf, bridge_layout here);
int bridge_put(MPI_Win w, int proc, bridge_layout there, void *buf, bridge_layout here);
int bridge_accumulate(MPI_Win w, int proc, bridge_layout there, void *buf, bridge_layout here, size_t size, int type, int op);

// Files. bridge_open opens for all of c, or for this process alone.
int bridge_info(MPI_Info *info);
int bridge_info_set(MPI_Info info, char *key, char *value);
int bridge_info_free(MPI_Info *info);
int bridge_open(MPI_Comm c, int alone, char *name, int writable, MPI_Info info, MPI_File *f);
int bridge_close(MPI_File *f);
int bridge_file_size(MPI_File f, int64_t *n);
int bridge_file_sync(MPI_File f);
int bridge_read_at(MPI_File f, int64_t off, void *buf, int n, int64_t *moved);
int bridge_write_at(MPI_File f, int64_t off, void *buf, int n, int64_t *moved);
int bridge_pieces(MPI_File f, int write, int n, int64_t *off, uintptr_t *at, int *len, int64_t *moved);

#endif
