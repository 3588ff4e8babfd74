/* The interface of the peers written in C. The protocol and the workloads are in peer.c; a peer
 * implements the functions of a store. Buffers are dense and row-major. */
#ifndef PEER_H
#define PEER_H

#include "common.h"

/* How an array is created. */
typedef struct {
	const char *path;
	int rank;
	long shape[MAX_RANK], chunk[MAX_RANK];
	bool grows;  /* every dimension may be extended later */
	bool memory; /* the array is in memory, path only names it */
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

/* Defaults for stores without a better way: a read followed by a transposition in memory, and a
 * loop over single elements. */
void read_then_transpose(const box *b, double *buf);
void gather_one_by_one(long n, const long *at, double *buf);
void scatter_one_by_one(long n, const long *at, const double *buf);
/* transpose copies rows x columns elements of src, whose rows are stride elements apart, to dst in
 * column-major order, with columns height elements apart. */
void transpose(const double *src, long stride, long rows, long columns, double *dst, long height);

/* refuse answers that the peer does not support this, and continues with the next request. */
_Noreturn void refuse(const char *what);

#endif
