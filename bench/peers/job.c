/* The protocol and the workloads of the peers that are parallel jobs.
 *
 * Process 0 reads a request, "verb key=value ...", all processes serve it, and process 0 answers as
 * peer.c does. Wall time is from a barrier to a barrier, CPU time is the sum over all processes. All
 * elements read are compared with the expected values; check is their sum. The verbs:
 *
 *     write  path shape chunk grid           create an array, write all of it, close
 *     read   path shape chunk grid [again]   open, read all of it, close; again=1: read it
 *                                            twice and time the second read only
 *     grow   path shape chunk grid by rounds write an array; then, timed, add columns and
 *                                            write them, in rounds
 *
 * The array is distributed BLOCK x BLOCK over a grid of processes, such as grid=2,2. */
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

__attribute__((weak)) void store_extend(long by) { die("this store cannot be extended by %ld", by); }

/* ---- time ---- */

static int64_t wall, cpu, wall_begin, cpu_begin, operations;
static uint64_t check;

static void begin(void) {
	MPI_Barrier(group);
	cpu_begin = cpu_now();
	wall_begin = wall_now();
}

static void end(long ops) {
	cpu += cpu_now() - cpu_begin;
	MPI_Barrier(group);
	wall += wall_now() - wall_begin;
	operations += ops;
}

/* ---- parts ---- */

/* share returns this process's block of a box. */
static part share(const long *lo, const long *size) {
	part p = {.handle = -1};
	long grid[MAX_RANK], at[2];
	if (numbers("grid", grid) != 2 || grid[0] * grid[1] != procs) die("a grid of %ld x %ld for %d processes", grid[0], grid[1], procs);
	at[0] = me / grid[1], at[1] = me % grid[1];
	for (int d = 0; d < 2; d++) {
		if (size[d] % (grid[d] * chunk[d])) die("%ld elements in %ld blocks of chunks of %ld", size[d], grid[d], chunk[d]);
		p.all.lo[d] = lo[d], p.all.size[d] = size[d];
		p.mine.size[d] = size[d] / grid[d], p.mine.lo[d] = lo[d] + at[d] * p.mine.size[d];
	}
	store_allocate(&p);
	return p;
}

static part whole(void) { return share((long[2]){0, 0}, shape); }

static void fill_part(part *p) {
	box b;
	double *at = p->data;
	for (long i = 0; store_piece(p, i, &b); at += volume(2, b.size), i++) fill(&b, at);
}

/* spoil overwrites the memory, so that a later read cannot succeed without reading. */
static void spoil(part *p) {
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
	store_open(arg("path", ""));
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

/* remove_array removes the files of an array: the path, and the path with an extension. */
static void remove_array(const char *path) {
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

/* rewrite copies the old file to a new one with more columns. */
static void rewrite(const char *path, long by, part *old) {
	store_read(old);
	store_close();
	shape[1] += by;
	store_create(path, true);
	store_write(old);
}

/* grow_round adds and writes columns once. It removes the file of the previous round, untimed. */
static void grow_round(char *path, long round, long by) {
	char before[PATH];
	part old, new = share((long[2]){0, shape[1]}, (long[2]){shape[0], by});
	fill_part(&new);
	if (store_extends) {
		begin();
		store_extend(by);
	} else {
		old = whole();
		spoil(&old);
		strcpy(before, path);
		snprintf(path, PATH, "%s.%ld", arg("path", ""), round);
		begin();
		rewrite(path, by, &old);
	}
	store_write(&new);
	end(1);
	store_free(&new);
	if (store_extends) return;
	store_free(&old);
	remove_array(before);
}

static void do_grow(void) {
	char path[PATH];
	long by = number("by", 1), rounds = number("rounds", 1);
	snprintf(path, PATH, "%s.0", arg("path", ""));
	part p = whole();
	fill_part(&p);
	store_create(path, true);
	store_write(&p);
	store_free(&p);
	for (long i = 1; i <= rounds; i++) grow_round(path, i, by);
	store_close();
	store_open(path);
	p = whole();
	spoil(&p);
	store_read(&p);
	store_close();
	verify(&p);
	store_free(&p);
	remove_array(path);
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
