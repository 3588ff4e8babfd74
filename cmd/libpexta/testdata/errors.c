/* errors.c - wrong arguments: every call returns -1 on all processes, and the program goes on.
 * errors FOLDER */
#define _GNU_SOURCE
#include "check.h"
#include <fenv.h>

static char text[4096];

/* announce says, on the process that prints an error, that one of a call follows, or came
 * before. */
static void announce(const char *call)
{
	if (GA_Nodeid() == 0)
		fprintf(stderr, "an error of %.*s\n", (int)strcspn(call, "("), call);
}

/* FAILS checks that a call is an error. */
#define FAILS(call) \
	do { \
		announce(#call); \
		CHECK((call) == -1); \
	} while (0)

static char *in(const char *folder, const char *name)
{
	snprintf(text, sizeof text, "%s/%s", folder, name);
	return text;
}

/* block_cyclic makes a global array whose elements are reached by calls of GA only. */
static int block_cyclic(int rows, int columns)
{
	int dims[] = {rows, columns}, block[] = {2, 3}, g = GA_Create_handle();

	GA_Set_data(g, 2, dims, C_DBL);
	GA_Set_block_cyclic(g, block);
	GA_Allocate(g);
	return g;
}

/* in_groups makes a wrong call in two groups of processes at once. Each group has its own process
 * 0. */
static void in_groups(char *missing)
{
	int world = GA_Pgroup_get_world(), first = (GA_Nnodes() + 1) / 2, list[64], groups[2], p, mine = GA_Nodeid() >= first;

	for (int i = 0; i < GA_Nnodes(); i++)
		list[i] = i;
	groups[0] = GA_Pgroup_create(list, first);
	groups[1] = GA_Nnodes() > first ? GA_Pgroup_create(list + first, GA_Nnodes() - first) : world;
	GA_Pgroup_set_default(groups[mine]);
	FAILS(PEXTA_Open(missing, PEXTA_R, &p));
	GA_Pgroup_set_default(world);
	GA_Sync();
}

int main(int argc, char **argv)
{
	int p, r = 0, status, type, n;
	pexta_size_t dims[] = {10, 12}, bad[] = {10, 0}, req[] = {-1, -1}, dlo[] = {0, 0}, dhi[] = {9, 11}, far[] = {10, 11}, order[] = {0, 1},
		     twice[] = {1, 1}, less[] = {-1, 0}, many[] = {0, 7};
	int glo[] = {0, 0}, ghi[] = {9, 11}, gfar[] = {9, 12}, gless[] = {9, 10};
	char longer[300];
	int gone, last;

	start(&argc, &argv);
	if (argc != 2)
		GA_Error("usage: errors FOLDER", 0);
	last = GA_Nodeid() == GA_Nnodes() - 1; /* this is the last process */
	memset(longer, 'x', sizeof longer), longer[299] = 0;
	int g = matrix(10, 12, 0), h = matrix(10, 13, 0), chunk[] = {-1, -1}, shape[] = {10, 12}, k = NGA_Create(C_INT, 2, shape, "k", chunk);

	FAILS(PEXTA_Open(in(argv[1], "a"), PEXTA_RW, &p)); /* before PEXTA_Init */
	FAILS(PEXTA_Terminate());
	feenableexcept(FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO); /* as gfortran -ffpe-trap does */
	CHECK(PEXTA_Init(2, -1, -1, 1e300) == 0);
	FAILS(PEXTA_Init(2, -1, -1, -1)); /* twice */

	FAILS(PEXTA_Create(4711, 2, dims, "a", in(argv[1], "a"), PEXTA_RW, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 0, dims, "a", in(argv[1], "a"), PEXTA_RW, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 8, dims, "a", in(argv[1], "a"), PEXTA_RW, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 2, bad, "a", in(argv[1], "a"), PEXTA_RW, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 2, dims, "a", in(argv[1], "a"), PEXTA_R, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 2, dims, "a", in(argv[1], "a"), 17, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 2, dims, longer, in(argv[1], "a"), PEXTA_RW, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 2, dims, "a", in(argv[1], longer), PEXTA_RW, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 2, dims, "a", in(argv[1], "none/a"), PEXTA_RW, req, g, &p));
	FAILS(PEXTA_Create(C_DBL, 2, dims, "a", in(argv[1], "a"), PEXTA_RW, req, 4711, &p));
	FAILS(PEXTA_Create(C_DBL, 2, dims, "a", in(argv[1], "a"), PEXTA_RW, req, k, &p)); /* other elements */
	CHECK(PEXTA_Create(C_DBL, 2, dims, "a", in(argv[1], "a"), PEXTA_RW, NULL, -1, &p) == 0);

	FAILS(PEXTA_Write(4711, p, &r));
	CHECK(r == PEXTA_REQ_INVALID);
	FAILS(PEXTA_Write(g, 4711, &r));
	FAILS(PEXTA_Write(h, p, &r)); /* another extent */
	FAILS(PEXTA_Write(k, p, &r)); /* another type */
	FAILS(PEXTA_Read(h, p, &r));
	FAILS(PEXTA_Write_section(0, g, glo, gfar, p, dlo, dhi, &r));
	FAILS(PEXTA_Write_section(0, g, NULL, ghi, p, dlo, dhi, &r));
	FAILS(PEXTA_Read_section(0, g, glo, ghi, p, dlo, NULL, &r));
	FAILS(PEXTA_Write_section(0, g, glo, ghi, p, dlo, far, &r));
	FAILS(PEXTA_Write_section(0, g, glo, gless, p, dlo, dhi, &r)); /* other numbers of elements */
	FAILS(PEXTA_Write_section(1, g, glo, ghi, p, dlo, dhi, &r));   /* the transpose does not fit */
	FAILS(PEXTA_Read_section(0, g, ghi, glo, p, dlo, dhi, &r));    /* the ends the wrong way round */
	FAILS(PEXTA_Extend(p, less, order, &r));
	FAILS(PEXTA_Extend(p, dims, many, &r));
	FAILS(PEXTA_Extend(p, dims, twice, &r));
	FAILS(PEXTA_Extend(4711, dims, order, &r));
	FAILS(PEXTA_IRead(h, p, &r)); /* larger than the disk array */
	FAILS(PEXTA_Inquire(4711, &type, &n, dims, NULL, NULL));
	FAILS(PEXTA_Wait(4711));
	CHECK(PEXTA_Wait(PEXTA_REQ_INVALID) == 0);
	FAILS(PEXTA_Probe(4711, &status));
	CHECK(status == -1);
	FAILS(PEXTA_Open(in(argv[1], "none"), PEXTA_R, &n));

	/* Results without a place. */
	FAILS(PEXTA_Create(C_DBL, 2, dims, "b", in(argv[1], "b"), PEXTA_RW, req, g, NULL));
	FAILS(PEXTA_Open(in(argv[1], "a"), PEXTA_R, NULL));
	FAILS(PEXTA_Inquire(p, &type, NULL, dims, NULL, NULL));
	FAILS(PEXTA_Write(g, p, NULL));
	FAILS(PEXTA_IRead(g, p, NULL));
	FAILS(PEXTA_Extend(p, dims, order, NULL));
	FAILS(PEXTA_Probe(PEXTA_REQ_INVALID, NULL));

	/* Arguments that are wrong on one process only: the others do not wait for it. */
	FAILS(PEXTA_Create(last ? 4711 : C_DBL, 2, dims, "b", in(argv[1], "b"), PEXTA_RW, req, g, &n));
	FAILS(PEXTA_Create(C_DBL, 2, dims, "b", in(argv[1], "b"), last ? 17 : PEXTA_RW, req, g, &n));
	FAILS(PEXTA_Create(C_DBL, 2, dims, "b", in(argv[1], "b"), PEXTA_RW, req, last ? 4711 : g, &n));
	FAILS(PEXTA_Open(in(argv[1], "a"), last ? 17 : PEXTA_R, &n));
	FAILS(PEXTA_Write(last ? 4711 : g, p, &r));
	FAILS(PEXTA_IRead(last ? 4711 : g, p, &r));
	FAILS(PEXTA_Extend(p, dims, order, last ? NULL : &r));

	FAILS(PEXTA_Write(g, last ? 4711 : p, &r));
	FAILS(PEXTA_Read_section(0, g, glo, ghi, last ? 4711 : p, dlo, dhi, &r));
	FAILS(PEXTA_IRead(g, last ? 4711 : p, &r));
	FAILS(PEXTA_Extend(last ? 4711 : p, dims, order, &r));
	FAILS(PEXTA_Close(last ? 4711 : p));
	FAILS(PEXTA_Delete(last ? 4711 : p));
	gone = matrix(10, 12, 0);
	CHECK(PEXTA_Read(gone, p, &r) == 0);
	FAILS(PEXTA_Probe(last ? 4711 : r, &status));
	FAILS(PEXTA_Wait(last ? 4711 : r));
	CHECK(PEXTA_Wait(r) == 0); /* the request is still there */
	GA_Destroy(gone);

	pexta_size_t extents[] = {4000, 4000}, name[] = {0, 0};
	int l, large[] = {4000, 4000};
	CHECK(PEXTA_Create(C_DBL, 2, extents, "na\xefve", in(argv[1], "l\xe4rge"), PEXTA_RW, req, -1, &l) == 0); /* Latin-1 */
	CHECK(PEXTA_Close(l) == 0);
	CHECK(PEXTA_Open(in(argv[1], "l\xe4rge"), PEXTA_RW, &l) == 0);
	CHECK(PEXTA_Inquire(l, &type, &n, name, longer, NULL) == 0 && strcmp(longer, "na\xefve") == 0 && name[0] == 4000);

	/* A global array that is gone before its elements have come. */
	gone = block_cyclic(10, 12);
	CHECK(PEXTA_Read(gone, p, &r) == 0);
	GA_Destroy(gone);
	FAILS(PEXTA_Wait(r));
	for (int i = 0; i < 3; i++) { /* in the midst of them */
		gone = NGA_Create(C_DBL, 2, large, "large", chunk);
		CHECK(PEXTA_Read(gone, l, &r) == 0);
		GA_Destroy(gone);
		status = PEXTA_Wait(r); /* 0 if all had come */
		CHECK(status == -1 || status == 0);
		if (status == -1)
			announce("PEXTA_Wait");
		GA_Igop(&status, 1, "+");
		CHECK(status == 0 || status == -GA_Nnodes());
	}
	CHECK(PEXTA_Delete(l) == 0);

	CHECK(PEXTA_Create(C_DBL, 2, dims, "b", in(argv[1], "b"), PEXTA_RW, req, g, &n) == 0);
	FAILS(PEXTA_Create(C_DBL, 2, dims, "c", in(argv[1], "c"), PEXTA_RW, req, g, &type)); /* a third of two */
	CHECK(PEXTA_Delete(n) == 0);
	FAILS(PEXTA_Delete(n));

	/* Nothing of all that has changed the array, and it still works. */
	CHECK(PEXTA_Write(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	CHECK(PEXTA_Close(p) == 0);
	FAILS(PEXTA_Close(p));
	CHECK(PEXTA_Open(in(argv[1], "a"), PEXTA_R, &p) == 0);
	FAILS(PEXTA_Write(g, p, &r)); /* open for reading */
	FAILS(PEXTA_Extend(p, dims, order, &r));
	GA_Zero(g);
	CHECK(PEXTA_Read(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	CHECK(wrong(g, 10, 12, 0, 0) == 0);
	in_groups(in(argv[1], "none"));
	CHECK(PEXTA_Terminate() == 0);
	FAILS(PEXTA_Wait(1));
	return end();
}
