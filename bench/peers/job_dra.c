/* Global Arrays' Disk Resident Arrays, or with -DPEXTA libpexta in their place, which can extend an
 * array. A part is in a global array in memory, distributed as the shares are.
 *
 *     reqdims=1024   the extents of a typical section, from which DRA derives the layout
 *     io=default     DRA chooses the files and the processes that do I/O
 *     io=all         every process does I/O, to one file
 *     io=own         every process does I/O, to a file of its own */
#include "job.h"

#include <dra.h>
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
#include <string.h>

static int array;

static void must(int code, const char *what) {
	if (code) die("dra: %s: %d", what, code);
}

#ifdef PEXTA
extern int PEXTA_Extend(int, dra_size_t *, dra_size_t *, int *);

const bool store_extends = true;

void store_extend(int dim, long by) {
	dra_size_t more[2] = {0, 0}, order[2] = {dim, -1};
	int request;
	more[dim] = by;
	must(PEXTA_Extend(array, more, order, &request), "extend");
	must(DRA_Wait(request), "extend");
	shape[dim] += by;
}
#else
const bool store_extends = false;
#endif

void store_begin(int *argc, char ***argv) {
	MPI_Init(argc, argv);
	GA_Initialize();
	MA_init(C_DBL, 1 << 20, 1 << 20);
	group = GA_MPI_Comm();
	must(DRA_Init(4, 1e11, 1e12, 1e9), "init");
}

void store_end(void) {
	DRA_Terminate();
	GA_Terminate();
	MPI_Finalize();
}

void store_allocate(part *p) {
	int dims[2], blocks[2], ld, lo[2], hi[2];
	int map[2 * 64], n = 0;
	for (int d = 0; d < 2; d++) {
		dims[d] = p->all.size[d], blocks[d] = p->grid[d];
		for (int i = 0; i < blocks[d]; i++) map[n++] = share_edge(p, d) * i;
	}
	p->handle = NGA_Create_irreg(C_DBL, 2, dims, "part", blocks, map);
	if (!p->handle) die("dra: no memory for a global array");
	for (int d = 0; d < 2; d++) lo[d] = p->mine.lo[d] - p->all.lo[d], hi[d] = lo[d] + p->mine.size[d] - 1;
	NGA_Access(p->handle, lo, hi, &p->data, &ld);
	if (ld != p->mine.size[1]) die("dra: a share of %ld columns lies in memory with %d", p->mine.size[1], ld);
	memset(p->data, 1, 8 * volume(2, p->mine.size)); /* the first touch is slow and must not be timed */
}

void store_free(part *p) { GA_Destroy(p->handle); }

void store_create(const char *path, bool grows) {
	dra_size_t dims[2] = {shape[0], shape[1]}, typical[2] = {number("reqdims", 1024), number("reqdims", 1024)};
	(void)grows;
	if (option("io", "all")) DRA_Set_default_config(1, procs);
	if (option("io", "own")) DRA_Set_default_config(procs, procs);
	must(NDRA_Create(C_DBL, 2, dims, "a", (char *)path, DRA_RW, typical, &array), "create");
}

void store_open(const char *path, bool write) { must(DRA_Open((char *)path, write ? DRA_RW : DRA_R, &array), "open"); }

void store_close(void) { must(DRA_Close(array), "close"); }

typedef int mover(logical, int, int *, int *, int, dra_size_t *, dra_size_t *, int *);

/* move writes or reads the whole part, from its low corner in the array and from 0 in memory. */
static void move(mover *f, const part *p, const char *what) {
	int lo[2] = {0, 0}, hi[2], request;
	dra_size_t from[2], to[2];
	for (int d = 0; d < 2; d++) {
		hi[d] = p->all.size[d] - 1;
		from[d] = p->all.lo[d], to[d] = p->all.lo[d] + p->all.size[d] - 1;
	}
	must(f(0, p->handle, lo, hi, array, from, to, &request), what);
	must(DRA_Wait(request), what);
}

void store_write(const part *p) { move(NDRA_Write_section, p, "write"); }

void store_read(part *p) { move(NDRA_Read_section, p, "read"); }
