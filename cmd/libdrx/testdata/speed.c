/* speed.c - measures calls of the library.
 *
 *     speed ELEMENTS SECTIONS ROUNDS     prints nanoseconds of processor time per drx_get, drx_set, a section of 256 x 256 by drx_read and
 *                                        drx_write, one with strides; the best of so many rounds */
#include <time.h>

#include "check.h"

enum { N = 2048, S = 256 };

static drx_array a;
static double box[S * S], wide[S * 2 * S];
static int count;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* which other load disturbs less */
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void get(int i)
{
	int64_t at[] = {i * 7 & (N - 1), i * 13 & (N - 1)};
	double v;

	OK(drx_get(a, 2, at, DRX_FLOAT64, &v));
}

static void set(int i)
{
	int64_t at[] = {i * 7 & (N - 1), i * 13 & (N - 1)};
	double v = i;

	OK(drx_set(a, 2, at, DRX_FLOAT64, &v));
}

static void section(int i, int64_t *lo, int64_t *hi)
{
	lo[0] = i % (N / S) * S, lo[1] = i / (N / S) % (N / S) * S;
	hi[0] = lo[0] + S, hi[1] = lo[1] + S;
}

static void read_box(int i)
{
	int64_t lo[2], hi[2];

	section(i, lo, hi);
	OK(drx_read(a, 2, lo, hi, NULL, DRX_FLOAT64, box, sizeof box, NULL));
}

static void write_box(int i)
{
	int64_t lo[2], hi[2];

	section(i, lo, hi);
	OK(drx_write(a, 2, lo, hi, NULL, DRX_FLOAT64, box, sizeof box, NULL));
}

static void read_wide(int i)
{
	int64_t lo[2], hi[2];

	section(i, lo, hi);
	OK(drx_read(a, 2, lo, hi, NULL, DRX_FLOAT64, wide, sizeof wide, (int64_t[]){2 * S * 8, 8}));
}

static void measure(const char *what, void (*f)(int), int n, int rounds)
{
	double best = 1e18;

	for (int r = 0; r < rounds; r++) {
		double begin = now(), each;
		for (int i = 0; i < n; i++)
			f(count++);
		each = (now() - begin) / n;
		if (each < best)
			best = each;
	}
	printf("%s %.1f\n", what, best);
}

int main(int argc, char **argv)
{
	int elements = atoi(argv[1]), sections = atoi(argv[2]), rounds = argc > 3 ? atoi(argv[3]) : 5;
	int64_t shape[] = {N, N};

	OK(drx_create("a", DRX_FLOAT64, 2, shape, "{\"chunk\": [256, 256]}", &a));
	for (int i = 0; i < N / S * N / S; i++)
		write_box(i);
	OK(drx_close(a));
	OK(drx_open("a", DRX_READ, NULL, &a));
	measure("get", get, elements, rounds);
	measure("read", read_box, sections, rounds);
	measure("strided", read_wide, sections, rounds);
	OK(drx_close(a));
	OK(drx_open("a", DRX_WRITE, NULL, &a));
	measure("set", set, elements, rounds);
	measure("write", write_box, sections, rounds);
	OK(drx_close(a));
	return 0;
}
