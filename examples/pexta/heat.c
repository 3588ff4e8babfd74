/* heat.c - a plate that is heated at one edge and grows at the other, kept by PEXTA while it grows.
 *
 *   mpicc.openmpi -I../../bin -o heat heat.c ../../bin/libpexta.a -lga-openmpi -lscalapack-openmpi -llapack -lblas \
 *       -larmci-openmpi -lgfortran -lm -lquadmath -lpthread
 *   mpirun.openmpi -n 4 ./heat plate && drx view plate -o plate.png
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <ga.h>
#include <macdecls.h>
#include <pexta.h>

enum { ROWS = 64, COLUMNS = 32, MORE = 16, GROWTHS = 6, STEPS = 300 };

static void check(int code, char *what)
{
	if (code != 0)
		GA_Error(what, code); /* PEXTA has printed why */
}

/* warm computes one step: each element of to becomes the mean of its neighbours in from. The edge
 * before column 0 is kept at 1. */
static void warm(int from, int to, int columns)
{
	int lo[2], hi[2], near_lo[2], near_hi[2], width, ld;
	double *near, *next;

	NGA_Distribution(to, GA_Nodeid(), lo, hi);
	GA_Sync();
	if (hi[0] < lo[0]) /* nothing of the plate is here */
		return;
	near_lo[0] = lo[0] > 0 ? lo[0] - 1 : 0, near_hi[0] = hi[0] < ROWS - 1 ? hi[0] + 1 : ROWS - 1;
	near_lo[1] = lo[1] > 0 ? lo[1] - 1 : 0, near_hi[1] = hi[1] < columns - 1 ? hi[1] + 1 : columns - 1;
	width = near_hi[1] - near_lo[1] + 1;
	near = malloc(sizeof *near * (near_hi[0] - near_lo[0] + 1) * width);
	NGA_Get(from, near_lo, near_hi, near, &width);
#define AT(r, c) near[((r) - near_lo[0]) * width + (c) - near_lo[1]]
	NGA_Access(to, lo, hi, &next, &ld);
	for (int r = lo[0]; r <= hi[0]; r++)
		for (int c = lo[1]; c <= hi[1]; c++) {
			double above = AT(r > 0 ? r - 1 : 0, c), below = AT(r < ROWS - 1 ? r + 1 : r, c);
			double left = c > 0 ? AT(r, c - 1) : 1, right = AT(r, c < columns - 1 ? c + 1 : c);
			next[(r - lo[0]) * ld + c - lo[1]] = (above + below + left + right) / 4;
		}
	NGA_Release_update(to, lo, hi);
	free(near);
}

int main(int argc, char **argv)
{
	int dims[] = {ROWS, COLUMNS}, chunk[] = {-1, -1}, disk, request, g;
	pexta_size_t extents[] = {ROWS, COLUMNS}, reqdims[] = {16, 16}, more[] = {0, MORE}, order[] = {1, -1};

	MPI_Init(&argc, &argv);
	GA_Initialize();
	MA_init(C_DBL, 1 << 20, 1 << 20);
	check(PEXTA_Init(-1, -1, -1, -1), "PEXTA_Init");
	g = NGA_Create(C_DBL, 2, dims, "plate", chunk);
	GA_Zero(g);
	check(PEXTA_Create(C_DBL, 2, extents, "plate", argc > 1 ? argv[1] : "plate", PEXTA_RW, reqdims, g, &disk), "PEXTA_Create");
	for (int growth = 0; growth < GROWTHS; growth++) {
		check(PEXTA_Extend(disk, more, order, &request) || PEXTA_Wait(request), "PEXTA_Extend");
		check(PEXTA_IRead(g, disk, &request) || PEXTA_Wait(request), "PEXTA_IRead"); /* g grows, too */
		dims[1] += MORE;
		int other = GA_Duplicate(g, "next");
		for (int step = 0; step < STEPS; step += 2)
			warm(g, other, dims[1]), warm(other, g, dims[1]);
		GA_Sync();
		GA_Destroy(other);
		check(PEXTA_Write(g, disk, &request) || PEXTA_Wait(request), "PEXTA_Write"); /* now it survives a crash */
	}
	check(PEXTA_Close(disk) || PEXTA_Terminate(), "PEXTA_Close");
	GA_Terminate();
	MPI_Finalize();
	return 0;
}
