/* errors.c - wrong arguments are refused with the right code, and change nothing. */
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>

#include "check.h"

static drx_array a;
static int64_t lo[2], hi[2];

static void handles(void)
{
	drx_dataset d;
	int rank;

	WANT(DRX_EHANDLE, drx_rank(0, &rank));
	SAYS("handle 0");
	WANT(DRX_EHANDLE, drx_rank(1, &rank));
	WANT(DRX_EHANDLE, drx_rank(UINT64_MAX, &rank));
	WANT(DRX_EHANDLE, drx_rank((drx_array)(uintptr_t)&rank, &rank));
	WANT(DRX_EHANDLE, drx_rank(a + 1, &rank));
	WANT(DRX_EHANDLE, drx_rank(a + ((uint64_t)1 << 30), &rank)); /* a later use of the slot */
	OK(drx_dataset_create("set", NULL, &d));
	WANT(DRX_EHANDLE, drx_rank(d, &rank));
	SAYS("a dataset");
	WANT(DRX_EHANDLE, drx_dataset_sync(a));
	OK(drx_dataset_close(d));
	WANT(DRX_ECLOSED, drx_dataset_close(d));
	WANT(DRX_ECLOSED, drx_dataset_sync(d));
}

static void closed(void)
{
	drx_array b, c;
	int64_t shape[] = {1}, at[] = {0};
	int32_t v;

	OK(drx_create("b", DRX_INT32, 1, shape, "", &b));
	OK(drx_close(b));
	WANT(DRX_ECLOSED, drx_close(b));
	WANT(DRX_ECLOSED, drx_discard(b));
	WANT(DRX_ECLOSED, drx_get(b, 1, at, DRX_INT32, &v));
	OK(drx_open("b", DRX_READ, NULL, &c)); /* may have the slot of b */
	CHECK(c != b);
	WANT(DRX_ECLOSED, drx_get(b, 1, at, DRX_INT32, &v));
	OK(drx_get(c, 1, at, DRX_INT32, &v));
	WANT(DRX_EREADONLY, drx_set(c, 1, at, DRX_INT32, &v));
	WANT(DRX_EREADONLY, drx_extend(c, 0, 1, DRX_HIGH, 0, NULL, NULL));
	WANT(DRX_EREADONLY, drx_write(c, 1, NULL, NULL, NULL, DRX_INT32, &v, sizeof v, NULL));
	OK(drx_discard(c));
}

static void nulls(void)
{
	int64_t shape[] = {2, 3};
	drx_array b = 7;
	int exists;
	char *text = "not NULL";

	WANT(DRX_EINVAL, drx_open(NULL, DRX_READ, NULL, &b));
	CHECK(b == 0);
	WANT(DRX_EINVAL, drx_open("a", DRX_READ, NULL, NULL));
	WANT(DRX_EINVAL, drx_exists(NULL, &exists));
	OK(drx_exists("a", NULL));
	WANT(DRX_EINVAL, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, NULL, 24, NULL));
	WANT(DRX_EINVAL, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, NULL, DRX_UNCHECKED, NULL));
	WANT(DRX_EINVAL, drx_write(a, 2, NULL, NULL, NULL, DRX_INT32, NULL, 24, NULL));
	WANT(DRX_EINVAL, drx_fill(a, 2, NULL, NULL, NULL, DRX_INT32, NULL));
	WANT(DRX_EINVAL, drx_get(a, 2, NULL, DRX_INT32, &exists));
	WANT(DRX_EINVAL, drx_get(a, 2, lo, DRX_INT32, NULL));
	WANT(DRX_EINVAL, drx_gather(a, 2, 1, NULL, DRX_INT32, &exists));
	OK(drx_gather(a, 2, 0, NULL, DRX_INT32, NULL));
	WANT(DRX_EINVAL, drx_walk(a, 2, NULL, NULL, NULL, 0, NULL, NULL));
	WANT(DRX_EINVAL, drx_follow(a, 0, NULL, NULL));
	WANT(DRX_EINVAL, drx_attr(a, NULL, &text));
	CHECK(text == NULL);
	WANT(DRX_EINVAL, drx_set_attr(a, "units", NULL));
	WANT(DRX_ERANK, drx_create("c", DRX_INT8, 65, shape, NULL, &b));
	WANT(DRX_ERANK, drx_create("c", DRX_INT8, -1, shape, NULL, &b));
	drx_free(NULL);
}

static void sections(void)
{
	int32_t buf[6];
	int64_t far[] = {0, 4}, below[] = {-1, 0}, zero[] = {1, 0}, extreme[] = {INT64_MIN, 0}, most[] = {INT64_MAX, INT64_MAX};

	WANT(DRX_ERANK, drx_read(a, 1, NULL, NULL, NULL, DRX_INT32, buf, 24, NULL));
	WANT(DRX_ERANK, drx_read(a, 3, NULL, NULL, NULL, DRX_INT32, buf, 24, NULL));
	WANT(DRX_ERANK, drx_read(a, -1, NULL, NULL, NULL, DRX_INT32, buf, 24, NULL));
	WANT(DRX_ERANK, drx_read(a, 1000000, lo, hi, NULL, DRX_INT32, buf, 24, NULL));
	WANT(DRX_EBOUNDS, drx_read(a, 2, NULL, far, NULL, DRX_INT32, buf, 24, NULL));
	WANT(DRX_EBOUNDS, drx_read(a, 2, below, NULL, NULL, DRX_INT32, buf, 24, NULL));
	SAYS("dimension 0");
	WANT(DRX_EBOUNDS, drx_read(a, 2, extreme, NULL, NULL, DRX_INT32, buf, 24, NULL));
	WANT(DRX_EBOUNDS, drx_read(a, 2, NULL, most, NULL, DRX_INT32, buf, 24, NULL));
	WANT(DRX_EBOUNDS, drx_read(a, 2, hi, lo, NULL, DRX_INT32, buf, DRX_UNCHECKED, NULL));
	WANT(DRX_EBOUNDS, drx_read(a, 2, NULL, NULL, zero, DRX_INT32, buf, 24, NULL));
	WANT(DRX_EBOUNDS, drx_get(a, 2, far, DRX_INT32, buf));
	WANT(DRX_ERANK, drx_get(a, 1, far, DRX_INT32, buf));
	WANT(DRX_ERANK, drx_bounds(a, 1, lo, hi));
	WANT(DRX_ERANK, drx_bounds(a, 3, lo, hi));
	OK(drx_read(a, 2, lo, lo, NULL, DRX_INT32, NULL, 0, NULL)); /* nothing to read */
}

static void buffers(void)
{
	int32_t buf[64];
	int64_t overlap[] = {4, 4}, same[] = {0, 0}, near[] = {12, 3}, huge[] = {INT64_MAX, 4}, least[] = {INT64_MIN, 4}, wide[] = {24, 4};
	int64_t tight[] = {-12, 4};

	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, 23, NULL));
	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, 28, NULL));
	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT64, buf, 24, NULL));
	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, -2, NULL));
	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, sizeof buf, overlap));
	SAYS("overlap");
	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, sizeof buf, same));
	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, sizeof buf, near));
	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, 24, wide));
	WANT(DRX_ESIZE, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf + 12, 20, tight));
	WANT(DRX_EOVERFLOW, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, DRX_UNCHECKED, huge));
	WANT(DRX_EOVERFLOW, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, buf, DRX_UNCHECKED, least));
	OK(drx_write(a, 2, NULL, NULL, NULL, DRX_INT32, buf, sizeof buf, same)); /* repeats an element */
}

/* clips writes float64 and int64 to int16: with the option clip they become the nearest. */
static void clips(void)
{
	int64_t shape[] = {4}, at[] = {2}, large = 1 << 20;
	double values[] = {1.5, 1e9, -1e9, NAN}, one = -2.6;
	int16_t got[4];
	drx_array c;

	OK(drx_create("clips", DRX_INT16, 1, shape, "{\"clip\": true, \"fill\": -7}", &c));
	OK(drx_write(c, 1, NULL, NULL, NULL, DRX_FLOAT64, values, sizeof values, NULL));
	OK(drx_read(c, 1, NULL, NULL, NULL, DRX_INT16, got, sizeof got, NULL));
	CHECK(got[0] == 2 && got[1] == 32767 && got[2] == -32768 && got[3] == -7);
	OK(drx_close(c));
	OK(drx_open("clips", DRX_WRITE, "{\"clip\": true}", &c));
	OK(drx_set(c, 1, at, DRX_INT64, &large));
	OK(drx_scatter(c, 1, 1, (int64_t[]){0}, DRX_FLOAT64, &one));
	OK(drx_read(c, 1, NULL, NULL, NULL, DRX_INT16, got, sizeof got, NULL));
	CHECK(got[0] == -3 && got[2] == 32767);
	OK(drx_fill(c, 1, NULL, NULL, NULL, DRX_FLOAT64, &values[1]));
	OK(drx_close(c));
}

/* same_bits is whether n elements of float32 have the same bits. */
static int same_bits(const float *x, const float *y, int n) { return memcmp(x, y, n * sizeof *x) == 0; }

/* rounds writes in all ways to arrays and variables that are rounded: they have the numbers of
 * drx_meaning_convert, but for missing values, and those of other arrays are as they were. */
static void rounds(void)
{
	enum { N = 12 };
	int64_t shape[] = {N}, at[] = {5}, points[] = {3, 7};
	const int64_t back[] = {-(int64_t)sizeof(float)};
	const char *rounding = "{\"significant_digits\": 3, \"quantize_mode\": \"GranularBitRound\"}", *any = "{\"dtype\": \"float32\"}";
	float values[N], want[N], got[N], reversed[N], fill = -1234.567f;
	double wide[N];
	drx_array c, plain;
	drx_dataset d;
	char *json;

	for (int i = 0; i < N; i++)
		reversed[N - 1 - i] = wide[i] = values[i] = i == 4 ? NAN : 3.14159265f * (float)(i * i - 20);
	OK(drx_meaning_convert(any, any, rounding, N, values, want));
	CHECK(!same_bits(values, want, N));
	want[9] = values[9] = reversed[N - 1 - 9] = fill; /* which is missing, and stays */
	wide[9] = fill;

	WANT(DRX_EINVAL, drx_create("rounds", DRX_FLOAT32, 1, shape, "{\"digits\": 3, \"bits\": 4}", &c));
	SAYS("exclude");
	WANT(DRX_EINVAL, drx_create("rounds", DRX_INT32, 1, shape, "{\"digits\": 3}", &c));
	SAYS("digits=3: elements of type int32");
	OK(drx_create("rounds", DRX_FLOAT32, 1, shape, "{\"digits\": 3, \"fill\": -1234.567, \"chunk\": [5]}", &c));
	OK(drx_attr(c, "_QuantizeGranularBitRoundNumberOfSignificantDigits", &json));
	CHECK(strcmp(json, "3") == 0);
	drx_free(json);
	for (int way = 0; way < 5; way++) {
		if (way == 3) { /* reopened */
			OK(drx_close(c));
			OK(drx_open("rounds", DRX_WRITE, "{\"round\": true}", &c));
		}
		OK(drx_fill(c, 1, NULL, NULL, NULL, DRX_FLOAT32, &fill));
		if (way == 1)
			OK(drx_write(c, 1, NULL, NULL, NULL, DRX_FLOAT32, &reversed[N - 1], DRX_UNCHECKED, back));
		else if (way == 4)
			OK(drx_write(c, 1, NULL, NULL, NULL, 0, values, sizeof values, NULL));
		else
			OK(drx_write(c, 1, NULL, NULL, NULL, DRX_FLOAT32, values, sizeof values, NULL));
		OK(drx_read(c, 1, NULL, NULL, NULL, DRX_FLOAT32, got, sizeof got, NULL));
		CHECK(same_bits(got, want, N));
	}
	OK(drx_fill(c, 1, NULL, NULL, NULL, DRX_FLOAT32, &values[5]));
	OK(drx_get(c, 1, at, DRX_FLOAT32, got));
	CHECK(same_bits(got, &want[5], 1));
	OK(drx_set(c, 1, at, DRX_FLOAT32, &values[6]));
	OK(drx_get(c, 1, at, DRX_FLOAT32, got));
	CHECK(same_bits(got, &want[6], 1));
	OK(drx_scatter(c, 1, 2, points, DRX_FLOAT32, &values[7]));
	OK(drx_gather(c, 1, 2, points, DRX_FLOAT32, got));
	CHECK(same_bits(got, &want[7], 2));
	CHECK(values[7] == 3.14159265f * 29);
	OK(drx_close(c));
	OK(drx_open("rounds", DRX_WRITE, "{\"round\": true, \"clip\": true}", &c)); /* of another type */
	OK(drx_write(c, 1, NULL, NULL, NULL, DRX_FLOAT64, wide, sizeof wide, NULL));
	OK(drx_read(c, 1, NULL, NULL, NULL, DRX_FLOAT32, got, sizeof got, NULL));
	CHECK(same_bits(got, want, N));
	OK(drx_scatter(c, 1, 1, points, DRX_FLOAT64, &wide[8]));
	OK(drx_gather(c, 1, 1, points, DRX_FLOAT32, got));
	CHECK(same_bits(got, &want[8], 1));
	OK(drx_close(c));
	OK(drx_open("rounds", DRX_WRITE, NULL, &c)); /* without the option nothing is rounded */
	OK(drx_write(c, 1, NULL, NULL, NULL, DRX_FLOAT32, values, sizeof values, NULL));
	OK(drx_read(c, 1, NULL, NULL, NULL, DRX_FLOAT32, got, sizeof got, NULL));
	CHECK(same_bits(got, values, N));
	OK(drx_close(c));

	OK(drx_dataset_create("roundset", NULL, &d));
	OK(drx_dataset_create_variable(d, "r", DRX_FLOAT32, 1, shape, "{\"digits\": 3, \"dims\": [\"x\"]}", &c));
	OK(drx_dataset_create_variable(d, "p", DRX_FLOAT32, 1, shape, "{\"dims\": [\"x\"]}", &plain));
	for (int again = 0; again < 2; again++) {
		WANT(DRX_ESIZE, drx_write(c, 1, NULL, NULL, NULL, DRX_FLOAT32, values, 9 * sizeof *values, NULL));
		OK(drx_write(c, 1, NULL, NULL, NULL, DRX_FLOAT32, values, sizeof values, NULL));
		OK(drx_read(c, 1, NULL, NULL, NULL, DRX_FLOAT32, got, sizeof got, NULL));
		CHECK(same_bits(got, want, 9) && !same_bits(&got[9], &values[9], 1));
		OK(drx_write(plain, 1, NULL, NULL, NULL, DRX_FLOAT32, values, sizeof values, NULL));
		OK(drx_read(plain, 1, NULL, NULL, NULL, DRX_FLOAT32, got, sizeof got, NULL));
		CHECK(same_bits(got, values, N));
		OK(drx_dataset_close(d));
		OK(drx_dataset_open("roundset", DRX_WRITE, "{\"round\": true}", &d));
		OK(drx_dataset_variable(d, "r", &c));
		OK(drx_dataset_variable(d, "p", &plain));
	}
	OK(drx_dataset_close(d));
}

static void types(void)
{
	int64_t shape[] = {2, 3}, out[2];
	drx_array b;
	float f[6];
	double d = 0.5;
	int64_t i = 1;

	WANT(DRX_EDTYPE, drx_create("c", 0, 2, shape, NULL, &b));
	WANT(DRX_EDTYPE, drx_create("c", 16, 2, shape, NULL, &b));
	WANT(DRX_EDTYPE, drx_create("c", -1, 2, shape, NULL, &b));
	WANT(DRX_EDTYPE, drx_create("c", 257, 2, shape, NULL, &b));
	WANT(DRX_EDTYPE, drx_read(a, 2, NULL, NULL, NULL, DRX_FLOAT32, f, sizeof f, NULL)); /* not every int32 */
	SAYS("float32");
	WANT(DRX_EDTYPE, drx_read(a, 2, NULL, NULL, NULL, 99, f, sizeof f, NULL));
	WANT(DRX_EDTYPE, drx_write(a, 2, NULL, NULL, NULL, DRX_FLOAT64, f, DRX_UNCHECKED, NULL));
	WANT(DRX_EDTYPE, drx_fill(a, 2, NULL, NULL, NULL, DRX_FLOAT64, &d));
	WANT(DRX_EDTYPE, drx_set(a, 2, lo, DRX_INT64, &i));
	SAYS("\"clip\"");
	WANT(DRX_EDTYPE, drx_gather(a, 2, 1, lo, DRX_FLOAT32, f));
	clips();
	rounds();
	WANT(DRX_EDTYPE, drx_strides(0, 2, shape, NULL, out));
	shape[0] = -1;
	WANT(DRX_EBOUNDS, drx_strides(DRX_INT8, 2, shape, NULL, out));
	shape[0] = INT64_MAX;
	WANT(DRX_EOVERFLOW, drx_strides(DRX_INT8, 2, shape, NULL, out));
	WANT(DRX_EOVERFLOW, drx_create("c", DRX_INT8, 2, shape, NULL, &b));
	WANT(DRX_EBOUNDS, drx_create("c", DRX_INT8, 2, (int64_t[]){-1, 1}, NULL, &b));
	CHECK(drx_dtype_parse("complex64") == DRX_COMPLEX64 && drx_dtype_parse("float") == DRX_RAW && drx_dtype_parse(NULL) == DRX_RAW);
	CHECK(drx_dtype_name(0) == NULL && drx_dtype_name(16) == NULL && drx_dtype_size(-1) == 0 && drx_dtype_size(15) == 16);
}

static void growth(void)
{
	WANT(DRX_EBOUNDS, drx_extend(a, 0, 0, DRX_HIGH, 2, lo, hi));
	WANT(DRX_EBOUNDS, drx_extend(a, 0, -1, DRX_HIGH, 2, lo, hi));
	WANT(DRX_EOVERFLOW, drx_extend(a, 0, INT64_MAX, DRX_HIGH, 2, lo, hi));
	WANT(DRX_ERANK, drx_extend(a, 2, 1, DRX_HIGH, 2, lo, hi));
	WANT(DRX_ERANK, drx_extend(a, -1, 1, DRX_HIGH, 2, lo, hi));
	WANT(DRX_EINVAL, drx_extend(a, 0, 1, 2, 2, lo, hi));
	WANT(DRX_ERANK, drx_extend(a, 0, 1, DRX_HIGH, 1, lo, hi)); /* must not grow */
	WANT(DRX_EBOUNDS, drx_shrink(a, 0, 3, DRX_LOW));
	WANT(DRX_EREADONLY, drx_reserve(a, 0, 1, DRX_HIGH, 0, NULL, NULL));
	OK(drx_bounds(a, 2, lo, hi));
	CHECK(lo[0] == 0 && lo[1] == 0 && hi[0] == 2 && hi[1] == 3);
}

static void options(void)
{
	drx_array b;
	drx_dataset d;
	int64_t shape[] = {2};

	WANT(DRX_EINVAL, drx_open("a", DRX_READ, "{\"cash\": 1}", &b));
	SAYS("cash");
	WANT(DRX_EINVAL, drx_open("a", DRX_READ, "{", &b));
	WANT(DRX_EINVAL, drx_open("a", DRX_READ, "{} {}", &b));
	WANT(DRX_EINVAL, drx_open("a", DRX_READ, "{\"cache\": \"much\"}", &b));
	WANT(DRX_EINVAL, drx_open("a", DRX_READ, "{\"cache\": -1}", &b));
	WANT(DRX_EINVAL, drx_open("a", DRX_READ, "{\"durability\": \"some\"}", &b));
	WANT(DRX_EINVAL, drx_open("a", DRX_WRITE, "{\"commit\": 1}", &b));
	WANT(DRX_EINVAL, drx_open("a", 3, NULL, &b));
	WANT(DRX_ENOTEXIST, drx_dataset_open(".", DRX_SHARED, NULL, &d));
	WANT(DRX_EBOUNDS, drx_open("a", DRX_READ, "{\"commit\": 99}", &b));
	WANT(DRX_ELOCKED, drx_open("a", DRX_WRITE, NULL, &b));
	WANT(DRX_ENOTEXIST, drx_open("missing", DRX_READ, NULL, &b));
	WANT(DRX_EEXIST, drx_create("a", DRX_INT8, 1, shape, NULL, &b));
	WANT(DRX_EDTYPE, drx_create("c", DRX_INT8, 1, shape, "{\"fill\": 1000}", &b));
	WANT(DRX_ERANK, drx_create("c", DRX_INT8, 1, shape, "{\"chunk\": [1, 1]}", &b));
	WANT(DRX_ENOTEXIST, drx_remove("missing"));
	WANT(DRX_ELOCKED, drx_remove("a"));
	WANT(DRX_ENOTEXIST, drx_create("no/such/folder/c", DRX_INT8, 1, shape, NULL, &b));
}

static void attributes(void)
{
	int64_t i;
	double d;
	char *text;

	WANT(DRX_ENOATTR, drx_attr(a, "none", &text));
	WANT(DRX_EINVAL, drx_set_attr(a, "x", "{broken"));
	WANT(DRX_EINVAL, drx_set_attr(a, "x", ""));
	WANT(DRX_EINVAL, drx_set_attr(a, "", "1"));
	WANT(DRX_EINVAL, drx_set_attr_double(a, "x", NAN));
	WANT(DRX_ENOATTR, drx_attr(a, "x", &text));
	OK(drx_set_attr(a, "list", "[1, 2]"));
	WANT(DRX_EDTYPE, drx_attr_int(a, "list", &i));
	OK(drx_set_attr_text(a, "text", "12"));
	WANT(DRX_EDTYPE, drx_attr_int(a, "text", &i));
	WANT(DRX_EDTYPE, drx_attr_double(a, "text", &d));
	OK(drx_set_attr_double(a, "half", 0.5));
	WANT(DRX_EDTYPE, drx_attr_int(a, "half", &i));
	WANT(DRX_EDTYPE, drx_attr_text(a, "half", &text));
	OK(drx_set_attr_int(a, "big", INT64_MAX));
	OK(drx_attr_int(a, "big", &i));
	CHECK(i == INT64_MAX);
	OK(drx_attr_double(a, "half", &d));
	CHECK(d == 0.5);
	OK(drx_attr_text(a, "text", &text));
	CHECK(strcmp(text, "12") == 0);
	drx_free(text);
	OK(drx_attr(a, "list", &text));
	CHECK(strcmp(text, "[1,2]") == 0);
	drx_free(text);
	OK(drx_delete_attr(a, "list"));
	WANT(DRX_ENOATTR, drx_attr(a, "list", &text));
	OK(drx_attrs(a, &text));
	CHECK(strcmp(text, "{\"big\":9223372036854775807,\"half\":0.5,\"text\":\"12\"}") == 0);
	drx_free(text);
}

/* addresses passes addresses where no memory is, or not enough: small ones, ones of pages that may
 * not be touched, and the end of memory before such a page. Each call fails, and the array works
 * on. */
static void addresses(void)
{
	enum { PAGE = 4096, LARGE = 512, ALL = 4 * LARGE * LARGE };
	const int64_t zero[] = {0, 0}, shape[] = {LARGE, LARGE}, flipped[] = {-4 * LARGE, 4};
	char *pages = mmap(NULL, ALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *wrong[] = {(void *)64, (void *)8192, pages, pages + PAGE, pages + ALL - 8};
	int32_t v = 7, few[6] = {0};
	drx_array b;

	CHECK(pages != MAP_FAILED);
	OK(drx_create("large", DRX_INT32, 2, shape, NULL, &b));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		WANT(DRX_EINTERNAL, drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, wrong[i], 24, NULL));
		SAYS("address");
		WANT(DRX_EINTERNAL, drx_write(a, 2, NULL, NULL, NULL, DRX_INT32, wrong[i], 24, NULL));
		WANT(DRX_EINTERNAL, drx_read(a, 2, NULL, NULL, NULL, DRX_INT64, wrong[i], DRX_UNCHECKED, NULL));
		WANT(DRX_EINTERNAL, drx_get(a, 2, zero, DRX_INT32, wrong[i]));
		WANT(DRX_EINTERNAL, drx_set(a, 2, zero, DRX_INT32, wrong[i]));
		WANT(DRX_EINTERNAL, drx_get(a, 2, zero, DRX_INT64, wrong[i]));
		WANT(DRX_EINTERNAL, drx_get(a, 2, wrong[i], DRX_INT32, &v));
		WANT(DRX_EINTERNAL, drx_fill(a, 2, NULL, NULL, NULL, DRX_INT32, wrong[i]));
		WANT(DRX_EINTERNAL, drx_gather(a, 2, 1, zero, DRX_INT32, wrong[i]));
		WANT(DRX_EINTERNAL, drx_gather(a, 2, 1, wrong[i], DRX_INT32, &v));
		WANT(DRX_EINTERNAL, drx_scatter(a, 2, 1, zero, DRX_INT32, wrong[i]));
		WANT(DRX_EINTERNAL, drx_bounds(a, 2, wrong[i], hi));
		WANT(DRX_EINTERNAL, drx_exists(wrong[i], NULL));
		WANT(DRX_EINTERNAL, drx_rank(a, wrong[i]));
		WANT(DRX_EINTERNAL, drx_attrs(a, wrong[i]));
		WANT(DRX_EINTERNAL, drx_read(b, 2, NULL, NULL, NULL, DRX_INT32, wrong[i], ALL, NULL)); /* in several goroutines */
		WANT(DRX_EINTERNAL, drx_write(b, 2, NULL, NULL, NULL, DRX_INT32, wrong[i], ALL, NULL));
		WANT(DRX_EINTERNAL, drx_read(b, 2, NULL, NULL, NULL, DRX_INT32, wrong[i], DRX_UNCHECKED, flipped));
	}
	CHECK(mprotect(pages, PAGE, PROT_READ | PROT_WRITE) == 0);
	WANT(DRX_EINTERNAL, drx_read(b, 2, NULL, NULL, NULL, DRX_INT32, pages, ALL, NULL)); /* too little */
	WANT(DRX_EINTERNAL, drx_write(b, 2, NULL, NULL, NULL, DRX_INT32, pages, ALL, NULL));
	OK(drx_set(b, 2, zero, DRX_INT32, &v));
	v = 0;
	OK(drx_get(b, 2, zero, DRX_INT32, &v));
	CHECK(v == 7);
	OK(drx_close(b));
	OK(drx_write(a, 2, NULL, NULL, NULL, DRX_INT32, few, sizeof few, NULL));
	OK(drx_sync(a));
	OK(drx_verify(a, NULL, NULL, NULL));
	CHECK(munmap(pages, ALL) == 0);
}

static void *other_thread(void *unused)
{
	(void)unused;
	CHECK(drx_error()[0] == 0); /* no call of this thread has failed */
	WANT(DRX_EHANDLE, drx_sync(5));
	SAYS("0x5");
	return NULL;
}

int main(void)
{
	int64_t shape[] = {2, 3};
	pthread_t thread;
	int rank, dtype, mode;

	CHECK(drx_error()[0] == 0);
	CHECK(drx_abi() >= DRX_ABI);
	CHECK(strcmp(drx_code_name(DRX_EINTERNAL), "DRX_EINTERNAL") == 0 && strcmp(drx_code_name(31), "unknown code") == 0);
	OK(drx_create("a", DRX_INT32, 2, shape, NULL, &a));
	OK(drx_rank(a, &rank));
	OK(drx_rank(a, NULL));
	OK(drx_dtype(a, &dtype));
	OK(drx_mode(a, &mode));
	CHECK(rank == 2 && dtype == DRX_INT32 && mode == DRX_WRITE);
	OK(drx_bounds(a, 2, lo, hi));
	handles();
	closed();
	nulls();
	sections();
	buffers();
	types();
	growth();
	options();
	attributes();
	addresses();
	WANT(DRX_EHANDLE, drx_sync(9));
	CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
	SAYS("0x9"); /* still that of this thread */
	OK(drx_close(a));
	return 0;
}
