/* errors_dra.c - wrong arguments to the names of DRA: every call returns -1 on all processes, where
 * DRA itself ends the job, and the program goes on: errors_dra FOLDER */
#include "check.h"
#include <dra.h>

extern int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode, dra_size_t reqdims[], int numfiles,
			      int ioprocs, int *d_a);

/* FAILS checks that a call is an error. The process that prints the error says before that it
 * comes. */
#define FAILS(call) \
	do { \
		if (GA_Nodeid() == 0) \
			fprintf(stderr, "an error of %.*s\n", (int)strcspn(#call, "("), #call); \
		CHECK((call) == -1); \
	} while (0)

static char *in(const char *folder, const char *name)
{
	static char text[4096];

	snprintf(text, sizeof text, "%s/%s", folder, name);
	return text;
}

static void created_wrongly(char *folder)
{
	int d;
	dra_size_t dims[] = {10, 12}, none[] = {10, 0}, req[] = {-1, -1};

	FAILS(NDRA_Create(4711, 2, dims, "a", in(folder, "a"), DRA_RW, req, &d));
	FAILS(NDRA_Create(C_DBL, 8, dims, "a", in(folder, "a"), DRA_RW, req, &d));
	FAILS(NDRA_Create(C_DBL, 2, none, "a", in(folder, "a"), DRA_RW, req, &d));
	FAILS(NDRA_Create(C_DBL, 2, NULL, "a", in(folder, "a"), DRA_RW, req, &d));
	FAILS(NDRA_Create(C_DBL, 2, dims, "a", in(folder, "a"), DRA_R, req, &d));
	FAILS(NDRA_Create(C_DBL, 2, dims, "a", NULL, DRA_RW, req, &d));
	FAILS(NDRA_Create(C_DBL, 2, dims, "a", in(folder, "a"), DRA_RW, req, NULL));
	FAILS(NDRA_Create_config(C_DBL, 0, dims, "a", in(folder, "a"), DRA_RW, req, 1, 1, &d));
	FAILS(NDRA_Create_config(C_DBL, 2, dims, "a", in(folder, "none/a"), DRA_RW, req, 1, 1, &d));
	FAILS(DRA_Open(in(folder, "none"), DRA_R, &d));
	FAILS(DRA_Open(in(folder, "a"), 17, &d));
}

static void moved_wrongly(int d, int g, int wider, int integers)
{
	int r, last = GA_Nodeid() == GA_Nnodes() - 1, glo[] = {0, 0}, ghi[] = {9, 11}, gfar[] = {10, 11};
	dra_size_t lo[] = {0, 0}, hi[] = {9, 11}, far[] = {9, 12};

	FAILS(NDRA_Write(wider, d, &r));
	CHECK(r == DRA_REQ_INVALID);
	FAILS(NDRA_Write(g, 4711, &r));
	FAILS(NDRA_Read(integers, d, &r));
	FAILS(NDRA_Read(4711, d, &r));
	FAILS(NDRA_Read(g, last ? 4711 : d, &r)); /* on one process */
	FAILS(NDRA_Write_section(0, g, glo, gfar, d, lo, hi, &r));
	FAILS(NDRA_Write_section(1, g, glo, ghi, d, lo, hi, &r));
	FAILS(NDRA_Write_section(0, g, NULL, ghi, d, lo, hi, &r));
	FAILS(NDRA_Read_section(0, g, glo, ghi, d, lo, far, &r));
	FAILS(NDRA_Read_section(0, g, glo, ghi, d, hi, lo, &r));
	FAILS(NDRA_Read_section(0, g, glo, ghi, d, lo, hi, NULL));
}

/* alone inquires on one process, while the others are about to do something else. */
static void alone(int d)
{
	int type, n;
	dra_size_t dims[7];

	if (GA_Nodeid() == 0) {
		CHECK(NDRA_Inquire(d, &type, &n, dims, NULL, NULL) == 0 && type == C_DBL && n == 2 && dims[0] == 10 && dims[1] == 12);
		FAILS(NDRA_Inquire(4711, &type, &n, dims, NULL, NULL));
		FAILS(NDRA_Inquire(d, &type, &n, NULL, NULL, NULL));
	}
}

int main(int argc, char **argv)
{
	int d, r, status, chunk[] = {-1, -1}, shape[] = {10, 12};
	dra_size_t dims[] = {10, 12}, req[] = {-1, -1};

	start(&argc, &argv);
	if (argc != 2)
		GA_Error("usage: errors_dra FOLDER", 0);
	int g = matrix(10, 12, 0), wider = matrix(10, 13, 0), integers = NGA_Create(C_INT, 2, shape, "integers", chunk);

	FAILS(DRA_Terminate());
	setenv("PEXTA_DURABILITY", GA_Nodeid() == GA_Nnodes() - 1 ? "some" : "none", 1);
	FAILS(DRA_Init(1, -1, -1, -1)); /* on one process, and so on all */
	setenv("PEXTA_DURABILITY", "none", 1);
	CHECK(DRA_Init(1, -1, -1, -1) == 0);
	FAILS(DRA_Init(1, -1, -1, -1));
	created_wrongly(argv[1]);
	CHECK(NDRA_Create(C_DBL, 2, dims, "a", in(argv[1], "a"), DRA_RW, req, &d) == 0);
	FAILS(NDRA_Create(C_DBL, 2, dims, "b", in(argv[1], "b"), DRA_RW, req, &r)); /* a second one of one */
	moved_wrongly(d, g, wider, integers);
	alone(d);
	FAILS(DRA_Wait(4711));
	FAILS(DRA_Probe(4711, &status));
	CHECK(NDRA_Write(g, d, &r) == 0 && DRA_Wait(r) == 0); /* it still works */
	CHECK(DRA_Close(d) == 0);
	FAILS(DRA_Close(d));
	CHECK(DRA_Open(in(argv[1], "a"), DRA_R, &d) == 0);
	alone(d); /* also where PEXTA_Inquire would look for what another program has added */
	FAILS(NDRA_Write(g, d, &r));
	GA_Zero(g);
	CHECK(NDRA_Read(g, d, &r) == 0 && DRA_Wait(r) == 0 && wrong(g, 10, 12, 0, 0) == 0);
	CHECK(DRA_Close(d) == 0 && DRA_Open(in(argv[1], "a"), DRA_W, &d) == 0);
	FAILS(NDRA_Read(g, d, &r));
	CHECK(DRA_Delete(d) == 0);
	FAILS(DRA_Delete(d));
	CHECK(DRA_Terminate() == 0);
	return end();
}
