/* The limit of a copy into other chunks: several threads read, permute and write in large blocks.
 *
 *     relayout_plain SRC DST ROWS COLUMNS T0 T1 PANEL THREADS
 *
 * SRC has ROWS x COLUMNS doubles in row-major order. DST gets them in chunks of T0 x T1, which
 * divide the shape, with the chunks in row-major order. PANEL rows at a time are in memory. The
 * answer is the line "wall_ns cpu_ns check", see relayout.h. */
#define _GNU_SOURCE
#include "relayout.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int src, dst;
static long rows, columns, t0, t1, panel, threads;
static double *in, *out;
static pthread_barrier_t all;

static void move(bool write, int file, void *buf, long n, long at) {
	for (char *p = buf; n > 0;) {
		ssize_t done = write ? pwrite(file, p, n, at) : pread(file, p, n, at);
		if (done <= 0) die(write ? "write" : "read");
		p += done, at += done, n -= done;
	}
}

/* permute_wide copies chunks [from, to) of the panel row by row. permute_columns does the same for
 * chunks that are one element wide, by transposing tiles. */
static void permute_wide(long from, long to) {
	long across = columns / t1;
	for (long c = from; c < to; c++) {
		double *to_chunk = out + c * t0 * t1;
		const double *corner = in + c / across * t0 * columns + c % across * t1;
		for (long i = 0; i < t0; i++) memcpy(to_chunk + i * t1, corner + i * columns, 8 * t1);
	}
}

static void permute_columns(long from, long to) {
	enum { TILE = 16 };
	for (long c0 = from; c0 < to; c0 += TILE)
		for (long i0 = 0; i0 < panel; i0 += TILE)
			for (long c = c0; c < c0 + TILE && c < to; c++)
				for (long i = i0; i < i0 + TILE && i < panel; i++) out[c * panel + i] = in[i * columns + c];
}

static void *work(void *arg) {
	long me = (long)arg, chunks = panel / t0 * (columns / t1), line = 8 * columns;
	long y0 = panel * me / threads, y1 = panel * (me + 1) / threads;
	long c0 = chunks * me / threads, c1 = chunks * (me + 1) / threads, chunk = 8 * t0 * t1;
	for (long y = 0; y < rows; y += panel) {
		move(false, src, in + y0 * columns, (y1 - y0) * line, (y + y0) * line);
		pthread_barrier_wait(&all);
		if (t1 > 1) permute_wide(c0, c1);
		else permute_columns(c0, c1);
		move(true, dst, out + c0 * t0 * t1, (c1 - c0) * chunk, y * line + c0 * chunk);
		pthread_barrier_wait(&all);
	}
	return NULL;
}

static double element(long y, long x) {
	double v;
	long chunk = y / t0 * (columns / t1) + x / t1;
	move(false, dst, &v, 8, 8 * (chunk * t0 * t1 + y % t0 * t1 + x % t1));
	return v;
}

int main(int argc, char **argv) {
	if (argc != 9) die("arguments");
	long *numbers[] = {&rows, &columns, &t0, &t1, &panel, &threads};
	for (int i = 0; i < 6; i++) *numbers[i] = atol(argv[3 + i]);
	in = grab(8 * panel * columns), out = grab(8 * panel * columns);
	src = open(argv[1], O_RDONLY);
	touch_memory(8 * rows * columns);
	begin();
	dst = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (src < 0 || dst < 0) die("open");
	pthread_t thread[64];
	pthread_barrier_init(&all, NULL, threads);
	for (long i = 0; i < threads; i++) pthread_create(&thread[i], NULL, work, (void *)i);
	for (long i = 0; i < threads; i++) pthread_join(thread[i], NULL);
	end();
	answer(rows, columns, element);
	return 0;
}
