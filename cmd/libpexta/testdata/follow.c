/* follow.c - one job extends an array while another one reads it:
 *
 *   follow FILE grow     creates an array of one row, and adds ROWS - 1 others, each with its elements in one commit
 *   follow FILE read     opens it for reading, and lets its global array grow as the file does; at last by columns, which drx has added
 *
 * They wait for each other, and for the test, by files: created, go, open, seen, done, all1 and
 * all2 (all rows are seen by the job with so many processes), wider. */
#include "check.h"
#include <unistd.h>

enum { ROWS = 12, COLUMNS = 30, MORE = 5 };

static char *name(const char *file, const char *what)
{
	static char text[4096];

	snprintf(text, sizeof text, "%s.%s", file, what);
	return text;
}

/* note makes a file, after all processes have come here. */
static void note(const char *file, const char *what)
{
	FILE *f;

	GA_Sync();
	if (GA_Nodeid() == 0 && (f = fopen(name(file, what), "w")) != NULL)
		fclose(f);
}

/* await waits for a file, and leaves the processors to others. */
static void await(const char *file, const char *what)
{
	int there = 0;

	for (int i = 0; !there && i < 6000; i++) {
		if (i > 0)
			usleep(10000);
		there = access(name(file, what), F_OK) == 0;
	}
	CHECK(there);
	GA_Sync();
}

/* row adds row i and writes i + 1 to it, in one commit. */
static void row(int p, int i)
{
	int dims[] = {1, COLUMNS}, chunk[] = {-1, -1}, g = NGA_Create(C_DBL, 2, dims, "row", chunk), glo[] = {0, 0}, ghi[] = {0, COLUMNS - 1}, e, w;
	pexta_size_t more[] = {1, 0}, order[] = {0, -1}, lo[] = {i, 0}, hi[] = {i, COLUMNS - 1};
	double value = i + 1;

	GA_Fill(g, &value);
	CHECK(PEXTA_Extend(p, more, order, &e) == 0);
	CHECK(PEXTA_Write_section(0, g, glo, ghi, p, lo, hi, &w) == 0);
	CHECK(PEXTA_Wait(w) == 0 && PEXTA_Wait(e) == 0);
	GA_Destroy(g);
}

static void grow(char *file)
{
	int p, r, g, dims[] = {1, COLUMNS}, chunk[] = {-1, -1};
	pexta_size_t extents[] = {1, COLUMNS}, req[] = {3, 7};
	double value = 1;

	g = NGA_Create(C_DBL, 2, dims, "g", chunk);
	GA_Fill(g, &value);
	CHECK(PEXTA_Create(C_DBL, 2, extents, "follow", file, PEXTA_RW, req, g, &p) == 0);
	CHECK(PEXTA_Write(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	note(file, "created");
	await(file, "go");
	await(file, "open");
	for (int i = 1; i < ROWS; i++) {
		row(p, i);
		if (i == ROWS / 2)
			await(file, "seen");
	}
	CHECK(PEXTA_Close(p) == 0);
	note(file, "done");
	GA_Destroy(g);
}

/* rows_of returns the rows of g after it has grown to the array, and checks its elements: row i has
 * i + 1. */
static int rows_of(int g, int p, int columns)
{
	int r, type, n, dims[7], lo[] = {0, 0}, hi[2], wrong = 0;
	double *values;

	CHECK(PEXTA_IRead(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	NGA_Inquire(g, &type, &n, dims);
	CHECK(dims[1] == columns);
	hi[0] = dims[0] - 1, hi[1] = dims[1] - 1;
	values = malloc(sizeof *values * dims[0] * dims[1]);
	NGA_Get(g, lo, hi, values, &dims[1]);
	for (int i = 0; i < dims[0] * dims[1]; i++)
		wrong += values[i] != (i % columns < COLUMNS ? i / columns + 1 : 0);
	CHECK(wrong == 0);
	free(values);
	return dims[0];
}

static void read_on(char *file)
{
	int p, g, dims[] = {1, COLUMNS}, chunk[] = {-1, -1}, type, n, rows, seen = 1, grown = 0;
	pexta_size_t extents[7];

	await(file, "go");
	g = NGA_Create(C_DBL, 2, dims, "g", chunk);
	CHECK(PEXTA_Open(file, PEXTA_R, &p) == 0);
	note(file, "open");
	for (int i = 0; seen < ROWS && i < 6000 && failures == 0; i++) {
		rows = rows_of(g, p, COLUMNS);
		CHECK(rows >= seen);
		if (rows > seen && grown++ == 0)
			note(file, "seen");
		seen = rows;
		usleep(5000);
	}
	CHECK(seen == ROWS && grown >= 1); /* twice, in the job that the other one waits for */
	note(file, GA_Nnodes() == 1 ? "all1" : "all2");
	await(file, "wider");
	CHECK(NDRA_Inquire(p, &type, &n, extents, NULL, NULL) == 0 && extents[1] == COLUMNS); /* what this program knows */
	CHECK(PEXTA_Inquire(p, &type, &n, extents, NULL, NULL) == 0 && extents[0] == ROWS && extents[1] == COLUMNS + MORE);
	CHECK(NDRA_Inquire(p, &type, &n, extents, NULL, NULL) == 0 && extents[1] == COLUMNS + MORE);
	CHECK(rows_of(g, p, COLUMNS + MORE) == ROWS);
	CHECK(PEXTA_Close(p) == 0);
	GA_Destroy(g);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	CHECK(argc == 3 && PEXTA_Init(-1, -1, -1, 1 << 20) == 0);
	if (strcmp(argv[2], "grow") == 0)
		grow(argv[1]);
	else
		read_on(argv[1]);
	CHECK(PEXTA_Terminate() == 0);
	return end();
}
