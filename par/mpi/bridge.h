// What Go calls of MPI. Every function returns MPI's error code. MPI's macros stay in bridge_*.c:
// some are invalid pointers, which Go must not hold, and cgo does not see others.

#ifndef DRX_BRIDGE_H
#define DRX_BRIDGE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

// Start and end. threads tells whether all goroutines may call MPI.
int drx_init(int *threads);
int drx_finalize(void);
int drx_error(int code, char *text, int *length);

// Communicators. A negative color gives none; *some tells.
int drx_world(MPI_Comm *c);
int drx_dup(MPI_Comm c, MPI_Comm *dup);
int drx_split(MPI_Comm c, int color, int key, MPI_Comm *part, int *some);
int drx_free(MPI_Comm *c);
int drx_size(MPI_Comm c, int *proc, int *procs);

// Operations that go on. drx_test looks at one until it is done, at most so many times.
int drx_test(MPI_Request *r, int times, int *done);
int drx_cancel(MPI_Request *r);
int drx_imin(MPI_Comm c, int64_t *in, int64_t *out, int n, MPI_Request *r);
int drx_iallgather(MPI_Comm c, void *in, int n, void *out, MPI_Request *r);
int drx_ibarrier(MPI_Comm c, MPI_Request *r);
int drx_isend(MPI_Comm c, void *buf, size_t n, int to, int tag, MPI_Request *r);
int drx_irecv_any(MPI_Comm c, void *buf, int n, MPI_Request *r);
int drx_improbe(MPI_Comm c, int from, int tag, int *there, MPI_Message *m, int64_t message[3]);
int drx_imrecv(void *buf, size_t n, MPI_Message *m, MPI_Request *r);

// Collective calls that block. Sizes and counts are bytes unless they say elements.
int drx_barrier(MPI_Comm c);
int drx_bcast(MPI_Comm c, void *buf, size_t n, int root);
int drx_allgather(MPI_Comm c, int64_t mine, int64_t *all);
int drx_alltoall_lengths(MPI_Comm c, int64_t *mine, int64_t *theirs);
int drx_gatherv(MPI_Comm c, void *in, int n, void *out, int *counts, int *at, int root);
int drx_allgatherv(MPI_Comm c, void *in, int n, void *out, int *counts, int *at);
int drx_alltoall(MPI_Comm c, int procs, uintptr_t *out, int64_t *outn, uintptr_t *in, int64_t *inn);
int drx_allreduce(MPI_Comm c, void *buf, size_t elements, size_t size, int type, int op);

// A drx_layout is a par.Layout.
typedef struct {
	size_t offset, bytes;
	int dims;
	int64_t *count, *stride;
} drx_layout;

int drx_win_new(MPI_Comm c, size_t n, void **memory, MPI_Win *w);
int drx_win_free(MPI_Win *w);
int drx_win_sync(MPI_Win w);
int drx_win_flush(MPI_Win w, int proc);
int drx_win_flush_all(MPI_Win w);
int drx_get(MPI_Win w, int proc, drx_layout there, void *buf, drx_layout here);
int drx_put(MPI_Win w, int proc, drx_layout there, void *buf, drx_layout here);
int drx_accumulate(MPI_Win w, int proc, drx_layout there, void *buf, drx_layout here, size_t size, int type, int op);

// Files. drx_open opens for all of c, or for this process alone.
int drx_info(MPI_Info *info);
int drx_info_set(MPI_Info info, char *key, char *value);
int drx_info_free(MPI_Info *info);
int drx_open(MPI_Comm c, int alone, char *name, int writable, MPI_Info info, MPI_File *f);
int drx_close(MPI_File *f);
int drx_file_size(MPI_File f, int64_t *n);
int drx_set_size(MPI_File f, int64_t n);
int drx_file_sync(MPI_File f);
int drx_read_at(MPI_File f, int64_t off, void *buf, int n, int64_t *moved);
int drx_write_at(MPI_File f, int64_t off, void *buf, int n, int64_t *moved);
int drx_pieces(MPI_File f, int write, int n, int64_t *off, uintptr_t *at, int *len, int64_t *moved);

#endif
