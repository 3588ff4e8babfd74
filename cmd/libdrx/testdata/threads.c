/* threads.c - many calls and many threads: nothing grows, and results are right.
 *
 *     threads CALLS OPENS     so many calls of drx_get, and so many times drx_open and drx_close */
#include <dirent.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* The memory in KiB that many calls may leave behind. The sanitizer keeps what was freed for a
 * while. */
#ifdef __SANITIZE_ADDRESS__
#define MOST (64 * 1024)
#else
#define MOST (6 * 1024)
#endif

static drx_array a;

/* resident returns the memory of this process in KiB. */
static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all, pages;

	CHECK(f && fscanf(f, "%ld %ld", &all, &pages) == 2);
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* descriptors returns how many files this process has open. */
static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	CHECK(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void gets(int n)
{
	int64_t at[2];
	int32_t v;

	for (int i = 0; i < n; i++) {
		at[0] = i & 63, at[1] = i >> 6 & 63;
		OK(drx_get(a, 2, at, DRX_INT32, &v));
		CHECK(v == at[0] * 64 + at[1]);
	}
}

static void reads(int n)
{
	int64_t lo[] = {3, 5}, hi[] = {11, 13}, column[] = {4, 32};
	int32_t box[64];

	for (int i = 0; i < n; i++) {
		OK(drx_read(a, 2, lo, hi, NULL, DRX_INT32, box, sizeof box, i & 1 ? column : NULL));
		CHECK(box[i & 1 ? 8 : 1] == 3 * 64 + 6);
	}
}

static void opens(int n)
{
	drx_array b;
	char *text;

	for (int i = 0; i < n; i++) {
		OK(drx_open("a", DRX_READ, NULL, &b));
		if (i % 100 == 0) {
			OK(drx_info(b, &text));
			drx_free(text);
		}
		OK(drx_close(b));
	}
}

static void failures(int n)
{
	int64_t at[] = {64, 0};
	int32_t v;

	for (int i = 0; i < n; i++) {
		WANT(DRX_EBOUNDS, drx_get(a, 2, at, DRX_INT32, &v));
		WANT(DRX_ECLOSED, drx_get(a - ((uint64_t)1 << 20), 2, at, DRX_INT32, &v));
	}
}

static void *one_thread(void *name)
{
	int64_t at[] = {64, 0}, shape[] = {8}, lo[1], hi[1];
	int32_t v, own[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	drx_array b;

	gets(50);
	WANT(DRX_EBOUNDS, drx_get(a, 2, at, DRX_INT32, &v));
	if (name) {
		OK(drx_create(name, DRX_INT32, 1, shape, NULL, &b));
		for (int i = 0; i < 200; i++) {
			OK(drx_extend(b, 0, 8, i % 2, 1, lo, hi));
			OK(drx_write(b, 1, lo, hi, NULL, DRX_INT32, own, sizeof own, NULL));
			OK(drx_get(b, 1, lo, DRX_INT32, &v));
			CHECK(v == 1);
			gets(50);
			reads(5);
		}
		OK(drx_close(b));
	}
	return NULL;
}

static void threads(int n)
{
	pthread_t t;

	for (int i = 0; i < n; i++)
		CHECK(pthread_create(&t, NULL, one_thread, NULL) == 0 && pthread_join(t, NULL) == 0);
}

static void together(void)
{
	pthread_t t[8];
	static char names[8][16];

	for (int i = 0; i < 8; i++) {
		snprintf(names[i], sizeof names[i], "own%d", i);
		CHECK(pthread_create(&t[i], NULL, one_thread, names[i]) == 0);
	}
	for (int i = 0; i < 8; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* steady calls f, and again: the second time no memory and no files may be left behind. */
static void steady(const char *what, void (*f)(int), int n)
{
	long before;
	int files;
	double start;

	f(n / 5 + 1);
	before = resident(), files = descriptors(), start = now();
	f(n);
	printf("%s: %d calls, %.3g us each, take %ld KiB and %d files more\n", what, n, (now() - start) / n * 1e6, resident() - before,
		descriptors() - files);
	if (resident() - before > MOST || descriptors() != files)
		exit(1);
}

int main(int argc, char **argv)
{
	static int32_t data[64][64];
	int64_t shape[] = {64, 64};
	drx_array first;
	int calls = argc > 1 ? atoi(argv[1]) : 100000, n = argc > 2 ? atoi(argv[2]) : 1000;

	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 64; j++)
			data[i][j] = i * 64 + j;
	OK(drx_create("a", DRX_INT32, 2, shape, "{\"chunk\": [16, 16]}", &first));
	OK(drx_write(first, 2, NULL, NULL, NULL, DRX_INT32, data, sizeof data, NULL));
	OK(drx_close(first));
	OK(drx_open("a", DRX_READ, NULL, &a)); /* the next use of the slot */
	steady("drx_get", gets, calls);
	steady("drx_read", reads, calls / 4);
	steady("drx_open", opens, n);
	steady("failures", failures, n / 2);
	steady("threads", threads, 400);
	together();
	OK(drx_close(a));
	return 0;
}
