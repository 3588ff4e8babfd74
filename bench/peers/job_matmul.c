/* C = A B by ScaLAPACK's pdgemm, for the peers that are parallel jobs: files are read first, as a whole, then multiplied in memory. See
 * the verb matmul in job.c.
 *
 * A share of a row-major matrix is, column by column, the share of its transpose. So the transposed product is computed, C' = B' A',
 * on the grid of processes turned around. Each process has one block of each matrix. */
#include "job.h"

#include <stdlib.h>

extern int Csys2blacs_handle(MPI_Comm);
extern void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
extern void Cblacs_gridexit(int context);
extern void descinit_(int *desc, int *m, int *n, int *mb, int *nb, int *row, int *column, int *context, int *ld, int *info);
extern void pdgemm_(char *ta, char *tb, int *m, int *n, int *k, double *alpha, double *a, int *ia, int *ja, int *desca, double *b, int *ib, int *jb,
	int *descb, double *beta, double *c, int *ic, int *jc, int *descc);

/* describe makes the descriptor of the transpose of the matrix that a part is a share of. */
static void describe(int *desc, const part *p, int context) {
	int zero = 0, info, m = p->all.size[1], n = p->all.size[0], mb = p->mine.size[1], nb = p->mine.size[0];
	descinit_(desc, &m, &n, &mb, &nb, &zero, &zero, &context, &mb, &info);
	if (info) die("scalapack: descriptor of %d x %d: %d", n, m, info);
}

void multiply(const part *a, const part *b, const part *c, const long *grid) {
	int desc[3][9], one = 1, m = c->all.size[1], n = c->all.size[0], k = a->all.size[1], context = Csys2blacs_handle(group);
	double alpha = 1, beta = 0;
	Cblacs_gridinit(&context, "Column", grid[1], grid[0]);
	describe(desc[0], a, context), describe(desc[1], b, context), describe(desc[2], c, context);
	pdgemm_("N", "N", &m, &n, &k, &alpha, b->data, &one, &one, desc[1], a->data, &one, &one, desc[0], &beta, c->data, &one, &one, desc[2]);
	Cblacs_gridexit(context);
}
