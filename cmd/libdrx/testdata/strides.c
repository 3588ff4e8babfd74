/* strides.c - every layout of a buffer, every direction, and conversion, against plain loops. */
#include "check.h"

enum { A = 7, B = 6, C = 5 };

static int32_t value(int i, int j, int k)
{
	return 1000 * i + 100 * j + k - 2345;
}

static unsigned char memory[1 << 16];

/* round_trip writes and reads a section through a buffer with given strides, beginning at data, and
 * checks that all other bytes of the memory stay as they were. */
static void round_trip(drx_array a, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, unsigned char *data, const int64_t *s)
{
	static unsigned char before[sizeof memory];
	static char touched[sizeof memory];
	int size = dtype == DRX_RAW ? 4 : (int)drx_dtype_size(dtype);

	memset(memory, 0xEE, sizeof memory);
	memset(touched, 0, sizeof touched);
	memcpy(before, memory, sizeof memory);
	OK(drx_read(a, 3, lo, hi, step, dtype, data, DRX_UNCHECKED, s));
	for (int64_t i = lo[0], x = 0; i < hi[0]; i += step[0], x++)
		for (int64_t j = lo[1], y = 0; j < hi[1]; j += step[1], y++)
			for (int64_t k = lo[2], z = 0; k < hi[2]; k += step[2], z++) {
				unsigned char *p = data + x * s[0] + y * s[1] + z * s[2];
				int32_t want = value((int)i, (int)j, (int)k), got = 0;
				CHECK(p >= memory && p + size <= memory + sizeof memory);
				memset(touched + (p - memory), 1, (size_t)size);
				if (dtype == DRX_FLOAT64) {
					double d;
					memcpy(&d, p, sizeof d);
					got = (int32_t)d;
				} else if (dtype == DRX_INT64) {
					int64_t n;
					memcpy(&n, p, sizeof n);
					got = (int32_t)n;
				} else if (dtype == DRX_COMPLEX128) {
					double d[2];
					memcpy(d, p, sizeof d);
					CHECK(d[1] == 0);
					got = (int32_t)d[0];
				} else
					memcpy(&got, p, sizeof got);
				CHECK(got == want);
			}
	for (size_t i = 0; i < sizeof memory; i++)
		CHECK(touched[i] || memory[i] == before[i]);
	if (dtype != DRX_INT32 && dtype != DRX_RAW)
		return; /* the other direction is not exact */
	OK(drx_fill(a, 3, lo, hi, step, DRX_INT32, &(int32_t){-1}));
	OK(drx_write(a, 3, lo, hi, step, dtype, data, DRX_UNCHECKED, s));
}

static void all_right(drx_array a)
{
	static int32_t all[A][B][C];

	OK(drx_read(a, 3, NULL, NULL, NULL, DRX_INT32, all, sizeof all, NULL));
	for (int i = 0; i < A; i++)
		for (int j = 0; j < B; j++)
			for (int k = 0; k < C; k++)
				CHECK(all[i][j][k] == value(i, j, k));
}

/* layouts tries rows, columns, permutations, submatrices, mirrored and unaligned buffers. */
static void layouts(drx_array a)
{
	static const int orders[6][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}, {0, 2, 1}, {1, 2, 0}};
	static const int types[] = {DRX_INT32, DRX_RAW, DRX_INT64, DRX_FLOAT64, DRX_COMPLEX128};
	const int64_t sections[3][3][3] = {
		{{0, 0, 0}, {A, B, C}, {1, 1, 1}}, {{1, 2, 0}, {6, 6, 5}, {2, 3, 1}}, {{3, 3, 3}, {4, 4, 4}, {1, 1, 1}}};

	for (int t = 0; t < 5; t++)
		for (int o = 0; o < 6; o++)
			for (int s = 0; s < 3; s++)
				for (int signs = 0; signs < 8; signs++)
					for (int gap = 0; gap < 3; gap++) {
						const int64_t *lo = sections[s][0], *hi = sections[s][1], *step = sections[s][2];
						int64_t shape[3], strides[3];
						unsigned char *data = memory + gap; /* not aligned */
						for (int d = 0; d < 3; d++)
							shape[d] = A + gap * d; /* of a larger array around the buffer */
						OK(drx_strides(types[t] ? types[t] : DRX_INT32, 3, shape, orders[o], strides));
						for (int d = 0; d < 3; d++)
							if (signs >> d & 1) {
								data += strides[d] * ((hi[d] - lo[d] + step[d] - 1) / step[d] - 1);
								strides[d] = -strides[d];
							}
						round_trip(a, lo, hi, step, types[t], data, strides);
					}
	all_right(a);
}

/* conversions checks the limits of exact conversion in both directions. */
static void conversions(void)
{
	drx_array b;
	int64_t shape[] = {4};
	int16_t in[] = {-32768, -1, 0, 32767}, back[4];
	float f[4];
	double d[4], column[8];

	OK(drx_create("floats", DRX_FLOAT64, 1, shape, NULL, &b));
	OK(drx_write(b, 1, NULL, NULL, NULL, DRX_INT16, in, sizeof in, NULL));
	OK(drx_read(b, 1, NULL, NULL, NULL, DRX_FLOAT64, d, sizeof d, NULL));
	CHECK(d[0] == -32768 && d[3] == 32767);
	WANT(DRX_EDTYPE, drx_read(b, 1, NULL, NULL, NULL, DRX_INT16, back, sizeof back, NULL));
	WANT(DRX_EDTYPE, drx_read(b, 1, NULL, NULL, NULL, DRX_FLOAT32, f, sizeof f, NULL));
	WANT(DRX_ESIZE, drx_write(b, 1, NULL, NULL, NULL, DRX_INT16, in, 6, NULL));
	OK(drx_write(b, 1, NULL, NULL, NULL, DRX_INT16, in + 3, sizeof in, (int64_t[]){-2}));
	OK(drx_read(b, 1, NULL, NULL, NULL, DRX_FLOAT64, column, sizeof column, (int64_t[]){16}));
	CHECK(column[0] == 32767 && column[6] == -32768);
	OK(drx_set(b, 1, (int64_t[]){1}, DRX_INT16, &in[0]));
	OK(drx_get(b, 1, (int64_t[]){1}, DRX_COMPLEX128, column));
	CHECK(column[0] == -32768 && column[1] == 0);
	OK(drx_fill(b, 1, NULL, NULL, NULL, DRX_UINT8, &(uint8_t){200}));
	OK(drx_scatter(b, 1, 2, (int64_t[]){3, 0}, DRX_INT16, in));
	OK(drx_gather(b, 1, 3, (int64_t[]){0, 1, 3}, DRX_FLOAT64, d));
	CHECK(d[0] == -1 && d[1] == 200 && d[2] == -32768);
	OK(drx_fill_value(b, DRX_FLOAT64, d));
	CHECK(d[0] == 0);
	WANT(DRX_EBOUNDS, drx_gather(b, 1, 1, (int64_t[]){4}, DRX_FLOAT64, d));
	OK(drx_close(b));
}

/* large moves more than one part of the library's own memory, converted and mirrored. */
static void large(void)
{
	enum { N = 1500 };
	drx_array b, c;
	int64_t shape[] = {N, N};
	int16_t *in = malloc(2 * N * N);
	double *out = malloc(8 * N * N);

	CHECK(in && out);
	for (int i = 0; i < N * N; i++)
		in[i] = (int16_t)(i * 7);
	OK(drx_create("large", DRX_INT16, 2, shape, "{\"chunk\": [100, 300]}", &b));
	OK(drx_write(b, 2, NULL, NULL, NULL, DRX_INT16, in, 2 * N * N, NULL));
	OK(drx_read(b, 2, NULL, NULL, NULL, DRX_FLOAT64, out + N * N - 1, 8 * N * N, (int64_t[]){-8 * N, -8}));
	for (int i = 0; i < N * N; i++)
		CHECK(out[N * N - 1 - i] == in[i]);
	OK(drx_read(b, 2, (int64_t[]){3, 1}, shape, (int64_t[]){2, 1}, DRX_FLOAT64, out, DRX_UNCHECKED, (int64_t[]){8, 8 * N}));
	for (int i = 3; i < N; i += 2)
		for (int j = 1; j < N; j++)
			CHECK(out[(j - 1) * N + (i - 3) / 2] == in[i * N + j]);
	for (int i = 0; i < N * N; i++)
		out[i] = i;
	OK(drx_create("floats2", DRX_FLOAT64, 2, shape, "{\"chunk\": [100, 300]}", &c));
	OK(drx_write(c, 2, NULL, NULL, NULL, DRX_FLOAT64, out + N - 1, DRX_UNCHECKED, (int64_t[]){8 * N, -8}));
	OK(drx_read(c, 2, NULL, NULL, NULL, DRX_FLOAT64, out, 8 * N * N, NULL));
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			CHECK(out[i * N + j] == i * N + N - 1 - j);
	OK(drx_close(c));
	OK(drx_close(b));
	free(in);
	free(out);
}

int main(void)
{
	static int32_t all[A][B][C];
	drx_array a;
	int64_t shape[] = {A, B, C};

	for (int i = 0; i < A; i++)
		for (int j = 0; j < B; j++)
			for (int k = 0; k < C; k++)
				all[i][j][k] = value(i, j, k);
	OK(drx_create("a", DRX_INT32, 3, shape, "{\"chunk\": [3, 2, 4]}", &a));
	OK(drx_write(a, 3, NULL, NULL, NULL, DRX_INT32, all, sizeof all, NULL));
	layouts(a);
	OK(drx_close(a));
	conversions();
	large();
	return 0;
}
