/* The interface of the peers that are parallel jobs. mpirun starts the processes, job.c has the
 * protocol and the workloads, and a peer implements the functions of a store. All processes call
 * the functions of a store together. Arrays have rank 2 and the shape `shape`. */
#ifndef JOB_H
#define JOB_H

#include "common.h"

#include <mpi.h>

extern MPI_Comm group; /* the processes of this job */
extern int me, procs;
extern long chunk[MAX_RANK]; /* from the request */

/* A part of the array: a box and this process's share of it, which is in its memory, dense and
 * row-major. */
typedef struct {
	box all, mine;
	long grid[2]; /* of the processes: share_edge elements each, the last one fewer */
	double *data;
	int handle; /* of the store's */
} part;

/* Those with a default: MPI_Init and MPI_Finalize, memory from grab(), and one dense piece. */
void store_begin(int *argc, char ***argv);
void store_end(void);
void store_allocate(part *p);
void store_free(part *p);
/* The share lies in memory as dense pieces, one after the other: the box of number i, or false if
 * there are not so many. */
bool store_piece(const part *p, long i, box *b);

/* create opens a new array for reading and writing; open opens one for reading or, with write, for
 * both. close hands everything written to the system at the latest; nothing is durable. */
void store_create(const char *path, bool grows);
void store_open(const char *path, bool write);
void store_close(void);
void store_write(const part *p);
void store_read(part *p);

/* extend adds indices to a dimension of `shape`. If a store cannot, job.c rewrites it. Dimension 0
 * grows in requests with `steps` only. */
extern const bool store_extends;
void store_extend(int dim, long by);

/* flow, in job_flow.c, and matmul, in job_matmul.c, serve the verbs of their names. Peers that can
 * multiply are built with job_matmul.c. */
void flow(void);
void matmul(void);

/* What they need of job.c. */
part divide(const long *lo, const long *size, const long *grid);
part whole(void);
long share_edge(const part *p, int dim); /* elements of a share, but for the last one */
void fill_part(part *p);
void spoil(part *p);
void begin(void);
void end(long ops);
void remove_array(const char *path);
void rewrite(const char *path, int dim, long by, part *old);
extern uint64_t check;

/* option compares an argument of the request. */
bool option(const char *key, const char *value);

#endif
