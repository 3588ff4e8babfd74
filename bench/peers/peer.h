/* What every peer written in C has in common: the protocol and the workloads are in
 * peer.c; a peer implements the functions of a store. Buffers are dense and row-major. */
#ifndef PEER_H
#define PEER_H

#include "common.h"

/* How an array is created. */
typedef struct {
	const char *path;
	int rank;
	long shape[MAX_RANK], chunk[MAX_RANK];
	bool grows;  /* every dimension may be extended later */
	bool memory; /* the array lives in memory, path names it only */
} spec;

/* The store, implemented by each peer. create leaves the array open for writing. */
void store_create(const spec *s);
void store_open(const char *path, bool write); /* sets rank and shape */
void store_close(void);
void store_extend(int dim, long by); /* changes shape */
void store_read(const box *b, double *buf);
void store_read_transposed(const box *b, double *buf); /* buf is column-major */
void store_write(const box *b, const double *buf);
void store_gather(long n, const long *at, double *buf); /* n times rank indices */
void store_scatter(long n, const long *at, const double *buf);
void store_sync(bool durable); /* hand everything to the system, durable: to the disk */

/* For those that have no better way: a read and a transposition in memory, and a loop over single elements. */
void read_then_transpose(const box *b, double *buf);
void gather_one_by_one(long n, const long *at, double *buf);
void scatter_one_by_one(long n, const long *at, const double *buf);
/* rows x columns of src, a row every stride elements, to dst column-major, a column every height elements. */
void transpose(const double *src, long stride, long rows, long columns, double *dst, long height);

/* refuse says that the peer has no such thing. */
_Noreturn void refuse(const char *what);

#endif
