/* The flow in a box whose lid moves, by the lattice Boltzmann method, on a plate that is extended
 * in between: what apps/lbm does, with the store of a peer. The arithmetic is that of
 * apps/lbm/d2q9, in the same order.
 *
 * The array is the plate: rows of nodes, and nine columns per node. The verb flow creates it; then,
 * for each extension in steps: computes `between` steps, writes the plate, extends it as another
 * program would, and reads it again. All of that is timed. check is the sum of all populations at
 * the end, in units of 2^-40, rounded. */
#pragma GCC optimize("fp-contract=off") /* the same rounding as in Go */
#include "job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, NINE = 9 };

static const int cx[NINE] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[NINE] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[NINE] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weight[NINE] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
static const double lid = 0.1, omega = 1.6;

static void collide(double *f) {
	double excess = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8], rho = 1 + excess, scale = 1 / rho;
	double u = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) * scale, v = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) * scale;
	double still = excess - 1.5 * rho * (u * u + v * v);
	double u3 = 3 * rho * u, v3 = 3 * rho * v, uu = 4.5 * rho * u * u, vv = 4.5 * rho * v * v;
	double plus = 4.5 * rho * (u + v) * (u + v), minus = 4.5 * rho * (u - v) * (u - v), w1 = 1. / 9, w5 = 1. / 36;
	double eq[NINE] = {
		4. / 9 * still,
		w1 * (still + u3 + uu), w1 * (still + v3 + vv), w1 * (still - u3 + uu), w1 * (still - v3 + vv),
		w5 * (still + u3 + v3 + plus), w5 * (still - u3 + v3 + minus), w5 * (still - u3 - v3 + plus), w5 * (still + u3 - v3 + minus),
	};
	for (int i = 0; i < NINE; i++) f[i] += omega * (eq[i] - f[i]);
}

/* row computes one row of n nodes from the ones below and above, which are NULL where a wall is. */
static void row(double *next, const double *below, const double *here, const double *above, long n) {
	for (long x = 0; x < n; x++, next += NINE) {
		for (int i = 0; i < NINE; i++) {
			const double *source = cy[i] == 1 ? below : cy[i] == -1 ? above : here;
			long from = x - cx[i];
			if (source && from >= 0 && from < n) next[i] = source[from * NINE + i];
			else {
				next[i] = here[x * NINE + opposite[i]];
				if (cy[i] == -1 && !above) next[i] += 6 * weight[i] * cx[i] * lid;
			}
		}
		collide(next);
	}
}

/* step computes one step of the rows of this process. The neighbours have the rows before and
 * behind. */
static void step(part *p, double *next, double *below, double *above) {
	long width = p->mine.size[1], n = p->mine.size[0];
	double *f = p->data, *last = f + (n - 1) * width;
	int lower = me > 0 ? me - 1 : MPI_PROC_NULL, upper = me + 1 < procs ? me + 1 : MPI_PROC_NULL;
	MPI_Sendrecv(last, width, MPI_DOUBLE, upper, 0, below, width, MPI_DOUBLE, lower, 0, group, MPI_STATUS_IGNORE);
	MPI_Sendrecv(f, width, MPI_DOUBLE, lower, 1, above, width, MPI_DOUBLE, upper, 1, group, MPI_STATUS_IGNORE);
	for (long y = 0; y < n; y++)
		row(next + y * width, y ? f + (y - 1) * width : me > 0 ? below : NULL, f + y * width,
		    y < n - 1 ? f + (y + 1) * width : me + 1 < procs ? above : NULL, width / NINE);
	memcpy(f, next, 8 * n * width);
}

static void compute(part *p, long steps) {
	long width = p->mine.size[1], bytes = 8 * width * p->mine.size[0];
	double *next = malloc(bytes), *below = malloc(8 * width), *above = malloc(8 * width);
	if (!next || !below || !above) die("no memory for %ld bytes", bytes);
	while (steps-- > 0) step(p, next, below, above);
	free(next), free(below), free(above);
}

/* save writes a part, and returns when all processes have written theirs: others read it. */
static void save(part *p) {
	store_write(p);
	MPI_Barrier(group);
}

static void clear(part *p) { memset(p->data, 0, 8 * volume(2, p->mine.size)); }

/* extend makes room for `by` more rows or columns, and writes zeros there: a fluid at rest. */
static void extend(char *path, long round, int dim, long by) {
	char before[PATH];
	long lo[2] = {0, 0}, size[2] = {shape[0], shape[1]}, grid[2] = {procs, procs};
	if (store_extends) store_extend(dim, by);
	else {
		part old = whole();
		strcpy(before, path);
		snprintf(path, PATH, "%s.%ld", arg("path", ""), round);
		rewrite(path, dim, by, &old);
		store_free(&old);
		remove_array(before);
	}
	lo[dim] = size[dim], size[dim] = by, grid[dim] = 1;
	part new = divide(lo, size, grid);
	clear(&new);
	save(&new);
	store_free(&new);
}

void flow(void) {
	char path[PATH], *rest;
	long between = number("between", 1), round = 0;
	snprintf(path, PATH, "%s.0", arg("path", ""));
	part p = whole();
	clear(&p);
	begin();
	store_create(path, true);
	for (const char *s = arg("steps", ""); *s; s = *rest == ',' ? rest + 1 : rest) {
		int dim = strtol(s, &rest, 10);
		if (*rest != ':' || dim < 0 || dim > 1) die("steps: %s", s);
		long by = strtol(rest + 1, &rest, 10);
		if (by < 1 || (dim && by % NINE)) die("steps: %s", s);
		compute(&p, between);
		save(&p);
		store_free(&p);
		extend(path, ++round, dim, by);
		p = whole();
		store_read(&p);
	}
	store_close();
	end(1);
	for (long i = volume(2, p.mine.size); i-- > 0;) check += (uint64_t)llabs(llround(ldexp(p.data[i], 40)));
	store_free(&p);
	remove_array(path);
}
