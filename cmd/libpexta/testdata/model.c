/* model.c - random histories of one disk array, by jobs of 1 to all processes one after the other,
 * beside the same array in plain memory: model FOLDER FIRST COUNT. All processes draw the same
 * numbers and keep the plain arrays; those of the job make the calls. */
#define _GNU_SOURCE
#include "check.h"
#include <unistd.h>

enum { MAXDIM = 7, MAXGLOBAL = 3, MAXPENDING = 40 };

/* A plain is an array in memory, row-major. */
typedef struct {
	int shape[MAXDIM];
	char *data;
} plain;

/* A global is a global array with what it should hold when all requests are done. */
typedef struct {
	int g;
	plain want;
	int busy;   /* requests that read to it */
	int cyclic; /* it is block-cyclic */
} global;

static unsigned long state;
static int type, size, rank;	   /* of all arrays of a history */
static int jobs, member, me, procs; /* this process is number me of procs in the job */
static int groups[64], world, turned, all; /* the group of so many processes, that of all, that of all in another order, and their number */
static char file[4096];
static int array, mode;
static plain disk;
static global globals[MAXGLOBAL];
static int nglobals, npending;
static struct {
	int request, global; /* global is -1 unless the request reads */
} pending[MAXPENDING];

/* draw returns a number from 0 to n-1. */
static int draw(int n)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (int)((state >> 11) % (unsigned long)n);
}

#define DO(call) \
	do { \
		if (member) \
			CHECK((call) == 0); \
	} while (0)

static long count(const int shape[])
{
	long n = 1;

	for (int d = 0; d < rank; d++)
		n *= shape[d];
	return n;
}

static plain new_plain(const int shape[])
{
	plain p;

	memcpy(p.shape, shape, sizeof p.shape);
	p.data = calloc(count(shape), size);
	return p;
}

/* copy copies the box of so many elements, in the dimensions of to, from lo_from to lo_to;
 * transposed: dimensions of from in reverse. */
static void copy(plain *to, const int lo_to[], const plain *from, const int lo_from[], const int shape[], int transposed)
{
	int at[MAXDIM] = {0}, d;

	do {
		long i = 0, j = 0;
		for (d = 0; d < rank; d++) {
			i = i * to->shape[d] + lo_to[d] + at[d];
			j = j * from->shape[d] + lo_from[d] + at[transposed ? rank - 1 - d : d];
		}
		memcpy(to->data + i * size, from->data + j * size, size);
		for (d = rank - 1; d >= 0 && ++at[d] == shape[d]; d--)
			at[d] = 0;
	} while (d >= 0);
}

static const int zero[MAXDIM];

/* grow gives the plain array other extents, with zeros. */
static void grow(plain *p, const int shape[])
{
	plain larger = new_plain(shape);

	copy(&larger, zero, p, zero, p->shape, 0);
	free(p->data);
	*p = larger;
}

static void replace(plain *p, const plain *by)
{
	free(p->data);
	*p = new_plain(by->shape);
	memcpy(p->data, by->data, count(by->shape) * size);
}

/* The distributions. Those from CYCLIC on cannot grow, and NGA_Put of GA 5.8 fails for them in a
 * group that is not that of all processes. For tiled arrays it fails also for some sections: they
 * are in conform.c only. */
enum { REGULAR, GHOSTS, IRREGULAR, RESTRICTED, OTHER_GROUP, CYCLIC, CYCLIC_GRID, KINDS };

/* set_processes restricts an array to some of them, or numbers them in another order. */
static void set_processes(int g, int kind)
{
	int list[64], n = 0;

	for (int p = kind == RESTRICTED ? procs / 2 : 0; p < procs; p++)
		list[n++] = kind == RESTRICTED ? p : (p + 1) % procs;
	if (kind == RESTRICTED)
		GA_Set_restricted(g, list, n);
	else
		GA_Set_pgroup(g, turned);
}

/* distributed makes a global array of a random distribution. */
static int distributed(int dims[], int *is_cyclic)
{
	int chunk[MAXDIM], width[MAXDIM], blocks[MAXDIM], block[MAXDIM], grid[MAXDIM], map[MAXDIM + 64], n = 0, kind = draw(KINDS), g, parts = procs < dims[0] ? procs : 1;

	for (int d = 0; d < rank; d++) {
		chunk[d] = -1, width[d] = draw(2), blocks[d] = d == 0 ? parts : 1;
		block[d] = 1 + dims[d] / (2 + draw(6)), grid[d] = d == 0 ? procs : 1;
	}
	for (int p = 0; p < parts; p++)
		map[n++] = p == 0 ? 0 : 1 + (p - 1) * (dims[0] - 1) / parts;
	for (int d = 1; d < rank; d++)
		map[n++] = 0;
	if (kind > IRREGULAR && (rank == 1 || procs != all))
		kind = REGULAR;
	*is_cyclic = kind >= CYCLIC;
	if (!member)
		return 0;
	if (kind == REGULAR)
		return NGA_Create(type, rank, dims, "g", chunk);
	if (kind == GHOSTS)
		return NGA_Create_ghosts(type, rank, dims, width, "g", chunk);
	if (kind == IRREGULAR)
		return NGA_Create_irreg(type, rank, dims, "g", blocks, map);
	g = GA_Create_handle();
	GA_Set_data(g, rank, dims, type);
	if (kind == CYCLIC)
		GA_Set_block_cyclic(g, block);
	else if (kind == CYCLIC_GRID)
		GA_Set_block_cyclic_proc_grid(g, block, grid);
	else
		set_processes(g, kind);
	CHECK(GA_Allocate(g));
	return g;
}

/* fill gives a global array new elements; each process puts some, and does not wait for the
 * others. */
static void fill(global *a)
{
	long bytes = count(a->want.shape) * size, row = bytes / a->want.shape[0];
	int n = a->want.shape[0], lo[MAXDIM] = {0}, hi[MAXDIM], ld[MAXDIM];

	if (a->busy)
		return;
	for (long i = 0; i + 4 <= bytes; i += 4) {
		int v = draw(1 << 30);
		memcpy(a->want.data + i, &v, 4);
	}
	for (int d = 0; d < rank; d++)
		hi[d] = a->want.shape[d] - 1, ld[d > 0 ? d - 1 : MAXDIM - 1] = a->want.shape[d];
	lo[0] = n * me / procs, hi[0] = n * (me + 1) / procs - 1;
	if (member && lo[0] <= hi[0])
		NGA_Put(a->g, lo, hi, a->want.data + lo[0] * row, ld);
}

static void add_global(const int shape[])
{
	global *a = &globals[nglobals++];

	a->want = new_plain(shape), a->busy = 0;
	a->g = distributed(a->want.shape, &a->cyclic);
	fill(a);
}

/* same compares a global array with what it should hold. */
static void same(const global *a)
{
	long bytes = count(a->want.shape) * size;
	int lo[MAXDIM] = {0}, hi[MAXDIM], ld[MAXDIM];
	char *got;

	if (!member)
		return;
	got = malloc(bytes);
	for (int d = 0; d < rank; d++)
		hi[d] = a->want.shape[d] - 1, ld[d > 0 ? d - 1 : MAXDIM - 1] = a->want.shape[d];
	GA_Sync();
	NGA_Get(a->g, lo, hi, got, ld);
	CHECK(memcmp(got, a->want.data, bytes) == 0);
	free(got);
	GA_Sync();
}

static void add_pending(int request, int global)
{
	pending[npending].request = request, pending[npending++].global = global;
	if (global >= 0)
		globals[global].busy++;
}

static int equal(const int a[], const int b[]) { return memcmp(a, b, rank * sizeof *a) == 0; }

/* move writes or reads all of the array, or a section. */
static void move(int k, int write)
{
	global *a = &globals[k];
	int transposed = draw(2), lo[MAXDIM], hi[MAXDIM], dlo[MAXDIM], shape[MAXDIM], dshape[MAXDIM], request = 0;
	pexta_size_t first[MAXDIM], last[MAXDIM];

	if (npending == MAXPENDING || mode == (write ? PEXTA_R : PEXTA_W))
		return;
	if (draw(2) && equal(a->want.shape, disk.shape)) {
		DO(write ? PEXTA_Write(a->g, array, &request) : PEXTA_Read(a->g, array, &request));
		replace(write ? &disk : &a->want, write ? &a->want : &disk);
		add_pending(request, write ? -1 : k);
		return;
	}
	for (int d = 0; d < rank; d++) {
		int e = transposed ? rank - 1 - d : d, n = a->want.shape[d] < disk.shape[e] ? a->want.shape[d] : disk.shape[e];
		shape[d] = dshape[e] = draw(2) ? n : 1 + draw(n);
		lo[d] = draw(a->want.shape[d] - shape[d] + 1), hi[d] = lo[d] + shape[d] - 1;
		first[e] = dlo[e] = draw(disk.shape[e] - shape[d] + 1), last[e] = first[e] + shape[d] - 1;
	}
	DO(write ? PEXTA_Write_section(transposed, a->g, lo, hi, array, first, last, &request)
		 : PEXTA_Read_section(transposed, a->g, lo, hi, array, first, last, &request));
	if (write)
		copy(&disk, dlo, &a->want, lo, dshape, transposed);
	else
		copy(&a->want, lo, &disk, dlo, shape, transposed);
	add_pending(request, write ? -1 : k);
}

/* iread lets a global array grow as the disk array has. */
static void iread(int k)
{
	global *a = &globals[k];
	int request = 0, t, n, dims[MAXDIM] = {0};

	for (int d = 0; d < rank; d++)
		if (a->want.shape[d] > disk.shape[d])
			return;
	if (mode == PEXTA_W || npending == MAXPENDING)
		return;
	if (a->cyclic && !equal(a->want.shape, disk.shape)) { /* it cannot grow */
		if (member)
			CHECK(PEXTA_IRead(a->g, array, &request) == -1 && request == PEXTA_REQ_INVALID);
		return;
	}
	DO(PEXTA_IRead(a->g, array, &request));
	replace(&a->want, &disk);
	add_pending(request, k);
	if (member) {
		NGA_Inquire(a->g, &t, &n, dims);
		CHECK(equal(dims, disk.shape));
	}
}

static void extend(void)
{
	pexta_size_t by[MAXDIM], order[MAXDIM];
	int shape[MAXDIM], request = 0, from = draw(rank);

	if (mode == PEXTA_R || npending == MAXPENDING || count(disk.shape) * size > 4 << 20)
		return;
	for (int i = 0; i < rank; i++) {
		int d = (from + i) % rank;
		by[d] = draw(1 + disk.shape[d] / 4 + 2), order[i] = draw(3) ? d : -1;
		shape[d] = disk.shape[d] + (order[i] < 0 ? 0 : by[d]);
	}
	DO(PEXTA_Extend(array, by, order, &request));
	grow(&disk, shape);
	add_pending(request, -1);
}

static void end_one(void)
{
	int i, k, status = 0;

	if (npending == 0)
		return;
	i = draw(npending), k = pending[i].global;
	while (draw(3) == 0)
		DO(PEXTA_Probe(pending[i].request, &status));
	DO(PEXTA_Wait(pending[i].request));
	pending[i] = pending[--npending];
	if (k >= 0 && --globals[k].busy == 0)
		same(&globals[k]);
}

static void reopen(void)
{
	DO(PEXTA_Close(array));
	for (; npending > 0; npending--) {
		DO(PEXTA_Wait(pending[npending - 1].request));
		if (pending[npending - 1].global >= 0)
			globals[pending[npending - 1].global].busy--;
	}
	DO(PEXTA_Open(file, mode, &array));
}

/* create makes a new array of up to some megabytes, in several chunks of half a megabyte or
 * more. */
static void create(void)
{
	static const int types[] = {C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL}, sizes[] = {4, 8, 4, 8, 8, 16};
	static const int extents[] = {300000, 500, 60, 21, 11, 7, 6};
	int t = draw(6), shape[MAXDIM] = {0};
	pexta_size_t dims[MAXDIM], request[MAXDIM];

	type = types[t], size = sizes[t], rank = 1 + draw(draw(3) ? 4 : MAXDIM);
	for (int d = 0; d < rank; d++) {
		dims[d] = shape[d] = 1 + draw(extents[rank - 1]);
		request[d] = draw(3) ? 1 + draw(shape[d]) : -1;
	}
	disk = new_plain(shape), mode = PEXTA_RW;
	if (draw(2))
		add_global(shape);
	DO(PEXTA_Create(type, rank, dims, "model", file, PEXTA_RW, request, nglobals > 0 && member ? globals[0].g : -1, &array));
}

/* other_shape is that of the disk array, or others. */
static void other_shape(int shape[])
{
	int reverse = draw(2);

	for (int d = 0; d < rank; d++) {
		shape[d] = disk.shape[reverse ? rank - 1 - d : d];
		if (draw(3) == 0)
			shape[d] = 1 + draw(shape[d] + 2);
	}
}

static void step(void)
{
	int k = draw(nglobals), shape[MAXDIM] = {0}, kind = draw(16);

	if (kind < 2)
		fill(&globals[k]);
	else if (kind < 8)
		move(k, kind < 5);
	else if (kind == 8)
		iread(k);
	else if (kind < 11)
		extend();
	else if (kind == 11 && nglobals < MAXGLOBAL)
		other_shape(shape), add_global(shape);
	else if (kind == 12)
		reopen();
	else
		end_one();
	if (member)
		PEXTA_Flick();
}

/* rest waits for all processes, also those of a job that goes on, and leaves the processors to
 * them. */
static void rest(void)
{
	MPI_Request all_here;
	int done = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
	while (MPI_Test(&all_here, &done, MPI_STATUS_IGNORE), !done)
		usleep(200);
}

/* job runs one job: it creates or opens the array, and ends it in one of two ways. */
static void job(int n)
{
	static const int modes[] = {PEXTA_RW, PEXTA_RW, PEXTA_RW, PEXTA_R, PEXTA_W};
	static const double memory[] = {-1, 1, 1 << 20};
	double max_memory = memory[draw(3)];

	procs = n, me = GA_Pgroup_nodeid(world), member = me < n;
	me = member ? me : 0;
	nglobals = npending = 0;
	if (member)
		GA_Pgroup_set_default(groups[n]);
	DO(PEXTA_Init(-1, -1, -1, max_memory));
	if (disk.data == NULL) {
		create();
	} else {
		mode = modes[draw(5)];
		DO(PEXTA_Open(file, mode, &array));
	}
	add_global(disk.shape);
	for (int steps = 8 + draw(12); steps > 0; steps--)
		step();
	if (draw(2))
		DO(PEXTA_Close(array));
	DO(PEXTA_Terminate());
	for (int k = 0; k < nglobals; k++) {
		same(&globals[k]);
		free(globals[k].want.data);
		if (member)
			GA_Destroy(globals[k].g);
	}
	if (member)
		GA_Pgroup_set_default(world);
	jobs++;
	rest();
}

static void history(const char *folder, int seed)
{
	state = 88172645463325252ul + 7919ul * seed;
	for (int i = 0; i < 20; i++)
		draw(2);
	snprintf(file, sizeof file, "%s/%d%s", folder, seed, seed % 2 ? ".drx" : ""); /* in one file or several */
	disk.data = NULL;
	for (int n = 2 + draw(3); n > 0; n--)
		job(1 + draw(all));
	free(disk.data);
	if (failures > 0)
		printf("process %d: history %d\n", GA_Nodeid(), seed);
	GA_Igop(&failures, 1, "+");
}

int main(int argc, char **argv)
{
	int list[64];

	start(&argc, &argv);
	if (argc != 4)
		GA_Error("usage: model FOLDER FIRST COUNT", 0);
	all = GA_Nnodes();
	world = groups[all] = GA_Pgroup_get_world();
	for (int n = 1; n < all; n++) {
		list[n - 1] = n - 1;
		groups[n] = GA_Pgroup_create(list, n);
	}
	for (int p = 0; p < all; p++)
		list[p] = (p + 1) % all;
	turned = GA_Pgroup_create(list, all);
	for (int i = 0; i < atoi(argv[3]) && failures == 0; i++)
		history(argv[1], atoi(argv[2]) + i);
	if (GA_Nodeid() == 0)
		printf("%d jobs\n", jobs);
	return end();
}
