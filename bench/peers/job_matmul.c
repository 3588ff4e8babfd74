/* C = A B by ScaLAPACK's pdgemm, for the peers that are parallel jobs: what a product needs is read
 * from the files first, as a whole, and then multiplied in memory.
 *
 *     matmul path shape chunk grid steps     write A and B, which are square; then, timed, C = A B; then for each DIM:BY of steps extend
 *                                            A by BY rows (dimension 0), B by BY columns (1), or both by BY inner indices (2), write what is
 *                                            new, and give C the products that it lacks. check is the sum of C
 *
 * All of that is a product of a box of rows, columns and inner indices. A store that cannot extend
 * an array rewrites it. */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int Csys2blacs_handle(MPI_Comm);
extern void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
extern void Cblacs_gridexit(int context);
extern void descinit_(int *desc, int *m, int *n, int *mb, int *nb, int *row, int *column, int *context, int *ld, int *info);
extern void pdgemm_(char *ta, char *tb, int *m, int *n, int *k, double *alpha, double *a, int *ia, int *ja, int *desca, double *b, int *ib, int *jb,
	int *descb, double *beta, double *c, int *ic, int *jc, int *descc);

enum { ROWS, COLUMNS, INNER, A = 0, B, C, PATH = 4096 };

static const int dims[3][2] = {{ROWS, INNER}, {INNER, COLUMNS}, {ROWS, COLUMNS}}; /* of A, B and C */

/* A matrix is a file. The number at the end of its path counts the files that it had before. */
static struct {
	char path[PATH + 24];
	long extents[2], files;
} matrices[3];

static void name_file(int m) { snprintf(matrices[m].path, sizeof matrices[m].path, "%s.%c.%ld", arg("path", ""), "ABC"[m], matrices[m].files++); }

/* dimension returns the dimension of a matrix that a dimension of the product is, or -1. */
static int dimension(int m, int dim) { return dims[m][0] == dim ? 0 : dims[m][1] == dim ? 1 : -1; }

/* factor returns this process's share of what a box of products needs of a matrix. */
static part factor(int m, const long *lo, const long *size) {
	long grid[MAX_RANK];
	numbers("grid", grid);
	return divide((long[2]){lo[dims[m][0]], lo[dims[m][1]]}, (long[2]){size[dims[m][0]], size[dims[m][1]]}, grid);
}

static void open_matrix(int m, bool write) {
	memcpy(shape, matrices[m].extents, sizeof matrices[m].extents);
	store_open(matrices[m].path, write);
}

static void create_matrix(int m, const part *p) {
	memcpy(matrices[m].extents, p->all.size, sizeof matrices[m].extents);
	memcpy(shape, p->all.size, sizeof matrices[m].extents);
	name_file(m);
	store_create(matrices[m].path, true);
	store_write(p);
	store_close();
}

/* extend_matrix extends a matrix along a dimension by a part, and writes the part, timed. Memory to
 * rewrite it is there before, and the old file is removed later, as in the other workloads. */
static void extend_matrix(int m, int dim, const part *p) {
	char before[sizeof matrices[m].path];
	part old;
	strcpy(before, matrices[m].path);
	memcpy(shape, matrices[m].extents, sizeof matrices[m].extents);
	if (!store_extends) {
		old = whole();
		spoil(&old);
		name_file(m);
	}
	begin();
	store_open(before, store_extends);
	if (store_extends) store_extend(dim, p->all.size[dim]);
	else rewrite(matrices[m].path, dim, p->all.size[dim], &old);
	store_write(p);
	store_close();
	end(0);
	matrices[m].extents[dim] = shape[dim];
	if (store_extends) return;
	store_free(&old);
	remove_array(before);
}

static void read_matrix(int m, part *p) {
	open_matrix(m, false);
	store_read(p);
	store_close();
}

/* describe makes the descriptor of the transpose of the matrix that a part is a share of. */
static void describe(int *desc, const part *p, int context) {
	int zero = 0, info, m = p->all.size[1], n = p->all.size[0], mb = share_edge(p, 1), nb = share_edge(p, 0), ld = p->mine.size[1];
	descinit_(desc, &m, &n, &mb, &nb, &zero, &zero, &context, &ld, &info);
	if (info) die("scalapack: descriptor of %d x %d: %d", n, m, info);
}

/* multiply computes the shares of c = a b, or adds a b to c. A share of a row-major matrix is,
 * column by column, the share of its transpose. So the transposed product is computed, C' = B' A',
 * on the grid of processes turned around. Each process has one block of each matrix. */
static void multiply(const part *a, const part *b, const part *c, bool adds) {
	int desc[3][9], one = 1, m = c->all.size[1], n = c->all.size[0], k = a->all.size[1], context = Csys2blacs_handle(group);
	double alpha = 1, beta = adds;
	Cblacs_gridinit(&context, "Column", c->grid[1], c->grid[0]);
	describe(desc[0], a, context), describe(desc[1], b, context), describe(desc[2], c, context);
	pdgemm_("N", "N", &m, &n, &k, &alpha, b->data, &one, &one, desc[1], a->data, &one, &one, desc[0], &beta, c->data, &one, &one, desc[2]);
	Cblacs_gridexit(context);
}

/* first_product writes A and B and, timed, computes C. */
static void first_product(long n) {
	long lo[3] = {0, 0, 0}, size[3] = {n, n, n};
	part p[3];
	for (int m = A; m <= C; m++) p[m] = factor(m, lo, size);
	for (int m = A; m <= B; m++) fill_part(&p[m]), create_matrix(m, &p[m]), spoil(&p[m]);
	begin();
	for (int m = A; m <= B; m++) read_matrix(m, &p[m]);
	multiply(&p[A], &p[B], &p[C], false);
	create_matrix(C, &p[C]);
	end(1);
	for (int m = C; m >= A; m--) store_free(&p[m]);
}

/* grow_product extends A, B or both, timed, and gives C what it lacks then. */
static void grow_product(int dim, long by) {
	long lo[3] = {0, 0, 0}, size[3] = {matrices[C].extents[0], matrices[C].extents[1], matrices[A].extents[1]};
	part p[3];
	lo[dim] = size[dim], size[dim] = by;
	for (int m = A; m <= C; m++) p[m] = factor(m, lo, size);
	for (int m = A; m <= B; m++) {
		if (dimension(m, dim) < 0) continue;
		fill_part(&p[m]);
		extend_matrix(m, dimension(m, dim), &p[m]);
	}
	for (int m = A; m <= C; m++) spoil(&p[m]);
	begin();
	for (int m = A; m <= B; m++) read_matrix(m, &p[m]);
	if (dim == INNER) {
		open_matrix(C, true);
		store_read(&p[C]);
		multiply(&p[A], &p[B], &p[C], true);
		store_write(&p[C]);
		store_close();
	} else {
		multiply(&p[A], &p[B], &p[C], false);
	}
	end(0);
	if (dim != INNER) extend_matrix(C, dim, &p[C]);
	for (int m = C; m >= A; m--) store_free(&p[m]);
}

void matmul(void) {
	char *end;
	for (int m = A; m <= C; m++) matrices[m].files = 0;
	first_product(shape[0]);
	for (const char *s = arg("steps", ""); *s; s = *end == ',' ? end + 1 : end) {
		int dim = strtol(s, &end, 10);
		if (*end != ':' || dim < ROWS || dim > INNER) die("steps: %s", s);
		long by = strtol(end + 1, &end, 10);
		if (by < 1) die("steps: %s", s);
		grow_product(dim, by);
	}
	part c = factor(C, (long[3]){0, 0, 0}, (long[3]){matrices[C].extents[0], matrices[C].extents[1], 0});
	spoil(&c);
	read_matrix(C, &c);
	for (long i = volume(2, c.mine.size); i-- > 0;) check += (uint64_t)c.data[i];
	store_free(&c);
	for (int m = A; m <= C; m++) remove_array(matrices[m].path);
}
