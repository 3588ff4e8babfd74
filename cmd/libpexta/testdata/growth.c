/* growth.c - arrays that grow while a program runs, and sections of arrays: growth FILE
 * [create|read ROWS COLUMNS] */
#include "check.h"

/* create makes an array of 20 x 30, and extends it twice while a write is in flight. */
static void create(char *file)
{
	int p, r, w, g = matrix(20, 30, 0.25), type, n;
	pexta_size_t dims[] = {20, 30}, req[] = {8, -1}, more[] = {5, 10}, order[] = {1, 0}, rows[] = {3, 7}, only[] = {0, -1};
	char name[72], at[248];

	CHECK(PEXTA_Create(C_DBL, 2, dims, "plate", file, PEXTA_RW, req, g, &p) == 0);
	CHECK(PEXTA_Write(g, p, &w) == 0);
	CHECK(PEXTA_Extend(p, more, order, &r) == 0);
	CHECK(PEXTA_Wait(r) == 0);
	CHECK(PEXTA_Wait(w) == 0);
	CHECK(PEXTA_Inquire(p, &type, &n, dims, name, at) == 0);
	CHECK(type == C_DBL && n == 2 && dims[0] == 25 && dims[1] == 40 && strcmp(name, "plate") == 0 && strcmp(at, file) == 0);
	CHECK(PEXTA_Extend(p, rows, only, &r) == 0 && PEXTA_Wait(r) == 0); /* rows only */
	CHECK(PEXTA_Inquire(p, &type, &n, dims, NULL, NULL) == 0 && dims[0] == 28 && dims[1] == 40);

	CHECK(PEXTA_IRead(g, p, &r) == 0 && PEXTA_Wait(r) == 0); /* g grows */
	int shape[7];
	NGA_Inquire(g, &type, &n, shape);
	CHECK(shape[0] == 28 && shape[1] == 40);
	CHECK(wrong(g, 20, 30, 0.25, 0) == 0);
	GA_Destroy(g);

	g = matrix(28, 40, 0.5);
	CHECK(PEXTA_Write(g, p, &w) == 0 && PEXTA_Wait(w) == 0);
	CHECK(PEXTA_Close(p) == 0);
	GA_Destroy(g);
}

/* read_all reads the array of create, which has rows x columns now, as another program has extended
 * it, with a global array of 28 x 40 that grows. */
static void read_all(char *file, int rows, int columns)
{
	int p, r, g = matrix(28, 40, 0), type, n, shape[7];
	pexta_size_t dims[7];

	CHECK(PEXTA_Open(file, PEXTA_R, &p) == 0);
	CHECK(PEXTA_Inquire(p, &type, &n, dims, NULL, NULL) == 0 && dims[0] == rows && dims[1] == columns);
	CHECK(PEXTA_IRead(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	NGA_Inquire(g, &type, &n, shape);
	CHECK(shape[0] == rows && shape[1] == columns);
	CHECK(wrong(g, 28, 40, 0.5, 0) == 0);
	CHECK(PEXTA_Close(p) == 0);
	GA_Destroy(g);
}

/* planar makes a global array of rows x columns doubles, all 0; in blocks of 7 x 9 in turn, if it
 * is to be reached by calls of GA only. */
static int planar(int rows, int columns, int cyclic)
{
	int dims[] = {rows, columns}, block[] = {7, 9}, g = GA_Create_handle();

	GA_Set_data(g, 2, dims, C_DBL);
	if (cyclic)
		GA_Set_block_cyclic(g, block);
	CHECK(GA_Allocate(g));
	GA_Zero(g);
	return g;
}

/* linear counts the elements (i, j) of g, of rows x columns, that are not first + i down + j
 * right. */
static int linear(int g, int rows, int columns, double first, double down, double right)
{
	int lo[] = {0, 0}, hi[] = {rows - 1, columns - 1}, ld = columns, count = 0;
	double *values = malloc(sizeof *values * rows * columns);

	GA_Sync();
	NGA_Get(g, lo, hi, values, &ld);
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			count += values[i * columns + j] != first + i * down + j * right;
	free(values);
	return count;
}

static void ended(int request)
{
	int status = 0;

	while (status == 0) {
		PEXTA_Flick();
		CHECK(PEXTA_Probe(request, &status) == 0);
	}
}

/* sections moves 250 x 150 elements of a global array to two places of another disk array, once
 * transposed, and from there, as they are and transposed, to global arrays in the memory of their
 * processes, or reached by calls of GA only. */
static void sections(char *beside)
{
	enum { ROWS = 250, COLUMNS = 150 };
	char file[4096];
	int p, r[6], g = matrix(300, 400, 0.5), there = planar(COLUMNS, ROWS, 1), back = planar(ROWS, COLUMNS, 1), again = planar(COLUMNS, ROWS, 0);
	int glo[] = {20, 30}, ghi[] = {19 + ROWS, 29 + COLUMNS}, zero[] = {0, 0}, as_is[] = {ROWS - 1, COLUMNS - 1}, reversed[] = {COLUMNS - 1, ROWS - 1};
	pexta_size_t dims[] = {410, 420}, req[] = {64, -1}, lo[] = {5, 6}, hi[] = {4 + ROWS, 5 + COLUMNS}, tlo[] = {256, 160},
		     thi[] = {255 + COLUMNS, 159 + ROWS};
	double first = 20030.5;

	snprintf(file, sizeof file, "%s.sections", beside);
	CHECK(PEXTA_Create(C_DBL, 2, dims, "sections", file, PEXTA_RW, req, g, &p) == 0);
	CHECK(PEXTA_Write_section(0, g, glo, ghi, p, lo, hi, &r[0]) == 0);
	CHECK(PEXTA_Write_section(1, g, glo, ghi, p, tlo, thi, &r[1]) == 0);
	CHECK(PEXTA_Read_section(0, there, zero, reversed, p, tlo, thi, &r[2]) == 0);
	CHECK(PEXTA_Read_section(1, back, zero, as_is, p, tlo, thi, &r[3]) == 0);
	CHECK(PEXTA_Read_section(1, again, zero, reversed, p, lo, hi, &r[4]) == 0);
	for (int i = 4; i >= 0; i--) {
		if (i % 2 == 0)
			ended(r[i]);
		CHECK(PEXTA_Wait(r[i]) == 0);
	}
	CHECK(linear(there, COLUMNS, ROWS, first, 1, 1000) == 0);
	CHECK(linear(back, ROWS, COLUMNS, first, 1000, 1) == 0);
	CHECK(linear(again, COLUMNS, ROWS, first, 1, 1000) == 0);
	CHECK(PEXTA_Write_section(1, there, zero, reversed, p, lo, hi, &r[5]) == 0 && PEXTA_Wait(r[5]) == 0);
	GA_Zero(again);
	CHECK(PEXTA_Read_section(1, again, zero, reversed, p, lo, hi, &r[5]) == 0 && PEXTA_Wait(r[5]) == 0);
	CHECK(linear(again, COLUMNS, ROWS, first, 1, 1000) == 0);
	CHECK(PEXTA_Delete(p) == 0);
	GA_Destroy(g), GA_Destroy(there), GA_Destroy(back), GA_Destroy(again);
}

/* large writes and reads 20 MiB per process, which go straight from its memory to the file and
 * back. */
static void large(char *beside)
{
	enum { ROWS = 2560, COLUMNS = 1024 };
	char file[4096];
	int dims[] = {ROWS * GA_Nnodes(), COLUMNS}, chunk[] = {-1, COLUMNS}, g = NGA_Create(C_DBL, 2, dims, "large", chunk), p, r, lo[2], hi[2], ld;
	pexta_size_t extents[] = {dims[0], COLUMNS}, req[] = {-1, -1};
	double *own, first = GA_Nodeid() + 0.5;
	long n, bad = 0;

	NGA_Distribution(g, GA_Nodeid(), lo, hi);
	NGA_Access(g, lo, hi, &own, &ld);
	n = (hi[0] - lo[0] + 1L) * COLUMNS;
	CHECK(n * sizeof *own > 16 << 20 && ld == COLUMNS);
	for (long i = 0; i < n; i++)
		own[i] = first + i;
	NGA_Release_update(g, lo, hi);
	snprintf(file, sizeof file, "%s.large", beside);
	CHECK(PEXTA_Create(C_DBL, 2, extents, "large", file, PEXTA_RW, req, g, &p) == 0);
	CHECK(PEXTA_Write(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	GA_Zero(g);
	CHECK(PEXTA_Read(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	for (long i = 0; i < n; i++)
		bad += own[i] != first + i;
	CHECK(bad == 0);
	CHECK(PEXTA_Delete(p) == 0);
	GA_Destroy(g);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	CHECK(PEXTA_Init(-1, -1, -1, 1 << 20) == 0);
	if (argc == 3 && strcmp(argv[2], "create") == 0)
		create(argv[1]), read_all(argv[1], 28, 40), sections(argv[1]), large(argv[1]);
	else if (argc == 5 && strcmp(argv[2], "read") == 0)
		read_all(argv[1], atoi(argv[3]), atoi(argv[4]));
	else
		CHECK(!"usage: growth FILE create, or FILE read ROWS COLUMNS");
	CHECK(PEXTA_Terminate() == 0);
	return end();
}
