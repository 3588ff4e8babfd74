/* check.h - for programs that test libpexta: CHECK prints and counts what is not so, on every
 * process. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ga.h>
#include <macdecls.h>
#include <pexta.h>

#ifdef PMPI /* linked with pmpi.c of package parallel/mpi, which counts calls of MPI */
#include <pmpi.h>
#endif

static int failures;

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			failures++; \
			printf("%s:%d: process %d: not so: %s\n", __FILE__, __LINE__, GA_Nodeid(), #condition); \
		} \
	} while (0)

static void start(int *argc, char ***argv)
{
	MPI_Init(argc, argv); /* MPI_THREAD_SINGLE */
	GA_Initialize();
	MA_init(C_DBL, 1 << 20, 1 << 20);
#ifdef PMPI
	pmpi_begin();
#endif
}

static inline int end(void)
{
	int all;

#ifdef PMPI
	CHECK(pmpi_calls() > 0 && pmpi_foreign() == 0);
#endif
	GA_Igop(&failures, 1, "+");
	all = failures;
	if (GA_Nodeid() == 0)
		printf("%s\n", all == 0 ? "good" : "bad");
	GA_Terminate();
	MPI_Finalize();
	return all != 0;
}

/* matrix makes a global array of doubles whose element (i, j) is 1000 i + j + seed. */
static inline int matrix(int rows, int columns, double seed)
{
	int dims[] = {rows, columns}, chunk[] = {-1, -1}, g = NGA_Create(C_DBL, 2, dims, "matrix", chunk);
	int lo[] = {0, 0}, hi[] = {rows - 1, columns - 1}, ld = columns;

	GA_Sync();
	if (GA_Nodeid() == 0) {
		double *values = malloc(sizeof *values * rows * columns);
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				values[i * columns + j] = 1000.0 * i + j + seed;
		NGA_Put(g, lo, hi, values, &ld);
		free(values);
	}
	GA_Sync();
	return g;
}

/* wrong counts the elements of the first rows x columns of g that are not those of matrix, and of
 * the others that are not rest. */
static inline int wrong(int g, int rows, int columns, double seed, double rest)
{
	int type, n, dims[7], lo[] = {0, 0}, hi[2], ld, count = 0;
	double *values;

	NGA_Inquire(g, &type, &n, dims);
	hi[0] = dims[0] - 1, hi[1] = dims[1] - 1, ld = dims[1];
	values = malloc(sizeof *values * dims[0] * dims[1]);
	GA_Sync();
	NGA_Get(g, lo, hi, values, &ld);
	for (int i = 0; i < dims[0]; i++)
		for (int j = 0; j < dims[1]; j++)
			count += values[i * dims[1] + j] != (i < rows && j < columns ? 1000.0 * i + j + seed : rest);
	free(values);
	GA_Sync();
	return count;
}

#endif
