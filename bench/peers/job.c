/* The protocol and the workloads of the peers that are parallel jobs.
 *
 * Process 0 reads a request, "verb key=value ...", all processes serve it, and process 0 answers as
 * peer.c does. Wall time is from a barrier to a barrier, CPU time is the sum over all processes.
 * All elements read are compared with the expected values; check is their sum. The verbs:
 *
 *     write  path shape chunk grid           create an array, write all of it, close
 *     read   path shape chunk grid [again]   open, read all of it, close; again=1: read it
 *                                            twice and time the second read only
 *     grow   path shape chunk grid by rounds write an array; then, timed, add columns and
 *                                            write them, in rounds
 *     matmul path shape chunk grid steps     see job_matmul.c
 *     extend path shape chunk grid steps     write an array; then, timed, extend it and write
 *                                            what is new; steps=0:7,1:30 adds 7 rows and
 *                                            then 30 columns
 *     flow   path shape chunk grid steps between   see job_flow.c
 *     write-section path shape chunk grid offset
 *                                            create an array; then, timed, write the section that begins at offset in both
 *                                            dimensions and has a chunk less for each process, and close
 *     read-section ...                       open it; then, timed, read that section
 *
 * The array is distributed BLOCK x BLOCK over a grid of processes, such as grid=2,2. The blocks are
 * whole chunks, except in requests with steps. In extend what is new is divided along the other
 * dimension. */
#define _GNU_SOURCE
#include "job.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096 }; /* bytes for a path, or a request */

MPI_Comm group;
int me, procs;
long chunk[MAX_RANK];

bool option(const char *key, const char *value) { return !strcmp(arg(key, ""), value); }

/* ---- defaults for stores ---- */

__attribute__((weak)) void store_begin(int *argc, char ***argv) {
	MPI_Init(argc, argv);
	group = MPI_COMM_WORLD;
}

__attribute__((weak)) void store_end(void) { MPI_Finalize(); }

__attribute__((weak)) void store_allocate(part *p) { p->data = grab(8 * volume(2, p->mine.size)); }

__attribute__((weak)) void store_free(part *p) { free(p->data); }

__attribute__((weak)) bool store_piece(const part *p, long i, box *b) {
	*b = p->mine;
	return i == 0;
}

__attribute__((weak)) void matmul(void) { die("this peer cannot multiply"); }

__attribute__((weak)) void store_extend(int dim, long by) { die("dimension %d of this store cannot be extended by %ld", dim, by); }

/* ---- time ---- */

static int64_t wall_begin, cpu_begin;
uint64_t check;

void begin(void) {
	MPI_Barrier(group);
	cpu_begin = cpu_now();
	wall_begin = wall_now();
}

void end(long ops) {
	cpu += cpu_now() - cpu_begin;
	MPI_Barrier(group);
	wall += wall_now() - wall_begin;
	operations += ops;
}

/* ---- parts ---- */

long share_edge(const part *p, int dim) { return (p->all.size[dim] + p->grid[dim] - 1) / p->grid[dim]; }

/* divide returns this process's block of a box, of a grid of processes. */
part divide(const long *lo, const long *size, const long *grid) {
	part p = {.handle = -1};
	long at[2] = {me / grid[1], me % grid[1]};
	for (int d = 0; d < 2; d++) {
		p.all.lo[d] = lo[d], p.all.size[d] = size[d], p.grid[d] = grid[d];
		long edge = share_edge(&p, d), first = edge * at[d];
		if (first >= size[d]) die("%ld elements along dimension %d in blocks for %ld processes", size[d], d, grid[d]);
		p.mine.lo[d] = lo[d] + first, p.mine.size[d] = first + edge < size[d] ? edge : size[d] - first;
	}
	store_allocate(&p);
	return p;
}

/* share returns this process's block of a box, of the grid of the request. */
static part share(const long *lo, const long *size) {
	long grid[MAX_RANK];
	if (numbers("grid", grid) != 2 || grid[0] * grid[1] != procs) die("a grid of %ld x %ld for %d processes", grid[0], grid[1], procs);
	for (int d = 0; d < 2; d++)
		if (!*arg("steps", "") && size[d] % (grid[d] * chunk[d])) die("%ld elements in %ld blocks of chunks of %ld", size[d], grid[d], chunk[d]);
	return divide(lo, size, grid);
}

part whole(void) { return share((long[2]){0, 0}, shape); }

/* section is the part of the verbs with that name. */
static part section(void) {
	long grid[MAX_RANK], offset = number("offset", 0), size[2];
	numbers("grid", grid);
	for (int d = 0; d < 2; d++) size[d] = shape[d] - grid[d] * chunk[d];
	return share((long[2]){offset, offset}, size);
}

void fill_part(part *p) {
	box b;
	double *at = p->data;
	for (long i = 0; store_piece(p, i, &b); at += volume(2, b.size), i++) fill(&b, at);
}

/* spoil overwrites the memory, so that a later read cannot succeed without reading. */
void spoil(part *p) {
	for (long i = volume(2, p->mine.size); i-- > 0;) p->data[i] = -1;
}

/* verify compares all values of a part with the expected ones and adds their sum to check. */
static void verify(const part *p) {
	box b;
	double *want = NULL;
	const double *at = p->data;
	for (long i = 0; store_piece(p, i, &b); i++) {
		box line = b;
		line.size[0] = 1;
		want = realloc(want, 8 * b.size[1]);
		for (; line.lo[0] < b.lo[0] + b.size[0]; line.lo[0]++, at += b.size[1]) {
			fill(&line, want);
			if (memcmp(want, at, 8 * b.size[1])) die("wrong values in row %ld from column %ld on", line.lo[0], line.lo[1]);
			for (long j = 0; j < b.size[1]; j++) check += (uint64_t)at[j];
		}
	}
	free(want);
}

/* ---- workloads ---- */

static void do_write(void) {
	part p = whole();
	fill_part(&p);
	begin();
	store_create(arg("path", ""), false);
	store_write(&p);
	store_close();
	end(1);
	store_free(&p);
}

static void do_read(void) {
	part p = whole();
	bool again = number("again", 0);
	spoil(&p);
	if (!again) begin();
	store_open(arg("path", ""), false);
	store_read(&p);
	if (again) {
		spoil(&p);
		begin();
		store_read(&p);
		end(1);
	}
	store_close();
	if (!again) end(1);
	verify(&p);
	store_free(&p);
}

static void do_write_section(void) {
	part p = section();
	fill_part(&p);
	store_create(arg("path", ""), false);
	begin();
	store_write(&p);
	store_close();
	end(1);
	store_free(&p);
}

static void do_read_section(void) {
	part p = section();
	spoil(&p);
	store_open(arg("path", ""), false);
	begin();
	store_read(&p);
	end(1);
	store_close();
	verify(&p);
	store_free(&p);
}

/* remove_array removes the files of an array: the path, and the path with an extension. */
void remove_array(const char *path) {
	char pattern[PATH + 2];
	glob_t found;
	MPI_Barrier(group);
	if (me) return;
	unlink(path);
	snprintf(pattern, sizeof pattern, "%s.*", path);
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
	globfree(&found);
}

/* rewrite copies the old file to a new one that is larger along a dimension. */
void rewrite(const char *path, int dim, long by, part *old) {
	store_read(old);
	store_close();
	shape[dim] += by;
	store_create(path, true);
	store_write(old);
}

/* grow_round extends the array to a new part and writes it. It removes the file of the previous
 * round, untimed. */
static void grow_round(char *path, long round, int dim, part new) {
	char before[PATH];
	part old;
	fill_part(&new);
	if (store_extends) {
		begin();
		store_extend(dim, new.all.size[dim]);
	} else {
		old = whole();
		spoil(&old);
		strcpy(before, path);
		snprintf(path, PATH, "%s.%ld", arg("path", ""), round);
		begin();
		rewrite(path, dim, new.all.size[dim], &old);
	}
	store_write(&new);
	end(1);
	store_free(&new);
	if (store_extends) return;
	store_free(&old);
	remove_array(before);
}

/* start_growing writes an array that will grow. */
static void start_growing(char *path) {
	snprintf(path, PATH, "%s.0", arg("path", ""));
	part p = whole();
	fill_part(&p);
	store_create(path, true);
	store_write(&p);
	store_free(&p);
}

/* end_growing checks all of it, and removes it. */
static void end_growing(const char *path) {
	store_close();
	store_open(path, false);
	part p = whole();
	spoil(&p);
	store_read(&p);
	store_close();
	verify(&p);
	store_free(&p);
	remove_array(path);
}

static void do_grow(void) {
	char path[PATH];
	long by = number("by", 1), rounds = number("rounds", 1);
	start_growing(path);
	for (long i = 1; i <= rounds; i++) grow_round(path, i, 1, share((long[2]){0, shape[1]}, (long[2]){shape[0], by}));
	end_growing(path);
}

static void do_extend(void) {
	char path[PATH], *end;
	long round = 0;
	start_growing(path);
	for (const char *p = arg("steps", ""); *p; p = *end == ',' ? end + 1 : end) {
		int dim = strtol(p, &end, 10);
		if (*end != ':' || dim < 0 || dim > 1) die("steps: %s", p);
		long lo[2] = {0, 0}, size[2] = {shape[0], shape[1]}, grid[2] = {procs, procs};
		lo[dim] = shape[dim], size[dim] = strtol(end + 1, &end, 10), grid[dim] = 1;
		if (size[dim] < 1) die("steps: %s", p);
		grow_round(path, ++round, dim, divide(lo, size, grid));
	}
	end_growing(path);
}

static void serve(char *line) {
	const char *verb = split_request(line);
	int64_t mine[2], all[2];
	if (!verb) return;
	wall = cpu = operations = 0, check = 0;
	rank = numbers("shape", shape);
	if (rank != 2 || numbers("chunk", chunk) != 2) die("only arrays of rank 2");
	if (!strcmp(verb, "write")) do_write();
	else if (!strcmp(verb, "read")) do_read();
	else if (!strcmp(verb, "grow")) do_grow();
	else if (!strcmp(verb, "matmul")) matmul();
	else if (!strcmp(verb, "extend")) do_extend();
	else if (!strcmp(verb, "flow")) flow();
	else if (!strcmp(verb, "write-section")) do_write_section();
	else if (!strcmp(verb, "read-section")) do_read_section();
	else die("there is no %s", verb);
	mine[0] = cpu, mine[1] = (int64_t)check;
	MPI_Reduce(mine, all, 2, MPI_INT64_T, MPI_SUM, 0, group);
	if (me) return;
	printf("ok %lld %lld %lld %llu\n", (long long)wall, (long long)all[0], (long long)operations, (unsigned long long)all[1]);
	fflush(stdout);
}

int main(int argc, char **argv) {
	static char line[PATH];
	store_begin(&argc, &argv);
	MPI_Comm_rank(group, &me);
	MPI_Comm_size(group, &procs);
	for (;;) {
		if (!me && !fgets(line, sizeof line, stdin)) line[0] = 0;
		MPI_Bcast(line, sizeof line, MPI_CHAR, 0, group);
		if (!line[0]) break;
		serve(line);
	}
	store_end();
	return 0;
}
