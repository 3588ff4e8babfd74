/* datasets.c - datasets, coordinates, selection, labels, and what an array says of itself. */
#include <math.h>

#include "check.h"

static char *text;

#define TEXT(want, call) \
	do { \
		OK(call); \
		if (strcmp(text, want) != 0) { \
			printf("%s:%d: %s gives %s, want %s\n", __FILE__, __LINE__, #call, text, want); \
			fflush(stdout); \
			_Exit(1); \
		} \
		drx_free(text); \
	} while (0)

static void labels(void)
{
	drx_array a;
	int64_t shape[] = {2, 3}, lo[3], hi[3], chunk[3];
	int dim;
	double fill;

	OK(drx_create("labelled", DRX_FLOAT32, 2, shape, "{\"dims\": [\"store\", \"item\"], \"lo\": [-1, 5], \"fill\": \"NaN\", "
		"\"attrs\": {\"units\": \"kg\"}, \"chunk\": [2, 2], \"order\": \"col\", \"align\": 64, \"durability\": \"nojournal\"}", &a));
	OK(drx_bounds(a, 2, lo, hi));
	CHECK(lo[0] == -1 && hi[0] == 1 && lo[1] == 5 && hi[1] == 8);
	OK(drx_chunk(a, 2, chunk));
	CHECK(chunk[0] == 2 && chunk[1] == 2);
	OK(drx_fill_value(a, DRX_FLOAT64, &fill));
	CHECK(isnan(fill));
	OK(drx_dim(a, "item", &dim));
	CHECK(dim == 1);
	WANT(DRX_ERANK, drx_dim(a, "none", &dim));
	TEXT("store", drx_dim_name(a, 0, &text));
	WANT(DRX_ERANK, drx_dim_name(a, 2, &text));
	TEXT("labelled", drx_name(a, &text));
	TEXT("\"kg\"", drx_attr(a, "units", &text));
	OK(drx_set_labels(a, 0, "[\"north\", \"south\"]"));
	TEXT("{\"first\":-1,\"labels\":[\"north\",\"south\"]}", drx_labels(a, 0, &text));
	TEXT("{\"first\":5,\"labels\":[]}", drx_labels(a, 1, &text));
	WANT(DRX_ERANK, drx_labels(a, 2, &text));
	WANT(DRX_EVALUE, drx_set_labels(a, 0, "[\"north\", \"north\"]"));
	WANT(DRX_EINVAL, drx_set_labels(a, 0, "north"));
	TEXT("[[[0,1,1]],[[5,8,1]]]", drx_select(a, "store=south", 0, &text));
	WANT(DRX_EVALUE, drx_select(a, "store=east", 0, &text));
	CHECK(text == NULL);
	OK(drx_add_dim(a, "day", &dim));
	CHECK(dim == 2);
	OK(drx_extend(a, 2, 2, DRX_LOW, 3, lo, hi));
	CHECK(lo[2] == -2 && hi[2] == 0 && lo[0] == -1);
	OK(drx_info(a, &text));
	CHECK(strstr(text, "\"order\":\"col\"") && strstr(text, "\"dims\":[\"store\",\"item\",\"day\"]"));
	drx_free(text);
	OK(drx_sync(a));
	OK(drx_history(a, &text));
	CHECK(strstr(text, "\"adddim\"") && strstr(text, "\"side\":\"low\""));
	drx_free(text);
	OK(drx_extend(a, 0, 5, DRX_HIGH, 0, NULL, NULL));
	OK(drx_discard(a));
	OK(drx_open("labelled.xmd", DRX_READ, NULL, &a));
	OK(drx_bounds(a, 3, lo, hi));
	CHECK(hi[0] == 1);
	OK(drx_close(a));
	OK(drx_open("labelled", DRX_READ, "{\"commit\": 1}", &a));
	OK(drx_bounds(a, 2, lo, hi));
	OK(drx_close(a));
}

/* snapshots opens an array as it was: a chunk has the elements of that time, or is gone. */
static void snapshots(void)
{
	drx_array a, then, last;
	int64_t shape[] = {4}, first[] = {0}, second[] = {2}, end[] = {4};
	int8_t value = 5, seen[2];
	char options[64];

	OK(drx_create("was", DRX_INT8, 1, shape, "{\"chunk\": [2]}", &a));
	OK(drx_fill(a, 1, first, end, NULL, DRX_INT8, &value));
	OK(drx_sync(a));
	OK(drx_snapshot(a, &text));
	CHECK(strncmp(text, "2-", 2) == 0 && strlen(text) == 10);
	snprintf(options, sizeof options, "{\"commit\": \"%s\"}", text);
	drx_free(text);
	OK(drx_open("was", DRX_READ, options, &then));
	OK(drx_open("was", DRX_READ, "{\"commit\": \"last\"}", &last));
	value = 7;
	OK(drx_fill(a, 1, second, end, NULL, DRX_INT8, &value));
	OK(drx_close(a));
	OK(drx_read(then, 1, first, second, NULL, DRX_INT8, seen, sizeof seen, NULL));
	CHECK(seen[0] == 5 && seen[1] == 5);
	WANT(DRX_EGONE, drx_read(then, 1, second, end, NULL, DRX_INT8, seen, sizeof seen, NULL));
	SAYS("chunk 1 was overwritten after commit 2");
	WANT(DRX_EGONE, drx_read(last, 1, second, end, NULL, DRX_INT8, seen, sizeof seen, NULL));
	OK(drx_close(then));
	OK(drx_close(last));
	WANT(DRX_EINVAL, drx_open("was", DRX_READ, "{\"commit\": \"first\"}", &then));
	WANT(DRX_EGONE, drx_open("was", DRX_READ, "{\"commit\": \"2-00000000\"}", &then));
}

/* wants_codec wants an array to have elements, and its description a member, that of no codec for
 * NULL. */
static void wants_codec(drx_array a, const char *member, const void *rows, size_t size)
{
	void *seen = malloc(size);

	OK(drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, seen, (int64_t)size, NULL));
	CHECK(memcmp(rows, seen, size) == 0);
	free(seen);
	OK(drx_info(a, &text));
	CHECK((member ? strstr(text, member) != NULL : strstr(text, "\"codec\"") == NULL) && strstr(text, "\"recompressing\"") == NULL);
	drx_free(text);
	OK(drx_verify(a, NULL, NULL, NULL));
}

/* recompress gives an array each codec in turn; one that is open for reading sees the elements all
 * the time. */
static void recompress(drx_array a, const char *name, drx_array other, const void *rows, size_t size)
{
	drx_array reader;
	void *seen = malloc(size);

	OK(drx_sync(a));
	OK(drx_open(name, DRX_READ, NULL, &reader));
	WANT(DRX_EREADONLY, drx_recompress(other, "lz4", NULL, NULL));
	WANT(DRX_EREADONLY, drx_recompress(reader, "lz4", NULL, NULL));
	WANT(DRX_EINVAL, drx_recompress(a, "zip", NULL, NULL));
	SAYS("codec \"zip\"");
	WANT(DRX_EINVAL, drx_recompress(a, NULL, NULL, NULL));
	SAYS("the codec is NULL");
	OK(drx_recompress(a, "zstd:3", NULL, NULL));
	wants_codec(a, "\"codec\":\"zstd:3\"", rows, size);
	OK(drx_recompress(a, "zstd:3", NULL, NULL));
	OK(drx_recompress(a, "lz4", NULL, NULL));
	wants_codec(a, "\"codec\":\"lz4\"", rows, size);
	OK(drx_recompress(a, "auto", NULL, NULL));
	wants_codec(a, "\"codec\":\"blosc:", rows, size);
	OK(drx_read(reader, 2, NULL, NULL, NULL, DRX_INT32, seen, (int64_t)size, NULL));
	CHECK(memcmp(rows, seen, size) == 0);
	free(seen);
	OK(drx_refresh(reader, NULL));
	wants_codec(reader, "\"codec\":\"blosc:", rows, size);
	OK(drx_close(reader));
	OK(drx_recompress(a, "none", NULL, NULL));
	wants_codec(a, NULL, rows, size);
}

/* codec uses a compressed array, and refuses what names no codec. */
static void codec(void)
{
	static int32_t rows[64][512], seen[64][512];
	drx_array a, b;
	int64_t shape[] = {64, 512};

	for (int i = 0; i < 64 * 512; i++)
		rows[i / 512][i % 512] = i / 100;
	OK(drx_create("packed", DRX_INT32, 2, shape, "{\"codec\": \"blosc:zstd\"}", &a));
	OK(drx_write(a, 2, NULL, NULL, NULL, DRX_INT32, rows, sizeof rows, NULL));
	OK(drx_close(a));
	OK(drx_open("packed", DRX_READ, NULL, &a));
	OK(drx_read(a, 2, NULL, NULL, NULL, DRX_INT32, seen, sizeof seen, NULL));
	CHECK(memcmp(rows, seen, sizeof rows) == 0);
	OK(drx_info(a, &text));
	CHECK(strstr(text, "\"codec\":\"blosc:zstd:5:shuffle\"") && strstr(text, "\"bytes_stored\":"));
	drx_free(text);
	OK(drx_create("plain", DRX_INT32, 2, shape, "{\"codec\": \"none\"}", &b));
	OK(drx_relayout(b, a, NULL, NULL, NULL, NULL));
	OK(drx_info(b, &text));
	CHECK(strstr(text, "\"codec\"") == NULL);
	drx_free(text);
	recompress(b, "plain", a, rows, sizeof rows);
	OK(drx_close(b));
	OK(drx_close(a));
	WANT(DRX_EINVAL, drx_create("wrong", DRX_INT32, 2, shape, "{\"codec\": \"gzip\"}", &a));
	SAYS("codec \"gzip\"");
	WANT(DRX_EINVAL, drx_create("wrong", DRX_INT32, 2, shape, "{\"codec\": 3}", &a));
	SAYS("codec");
}

static void reserve(void)
{
	drx_array a, b;
	int64_t shape[] = {0, 4}, lo[2], hi[2], la[2], ha[2];
	int16_t row[] = {1, 2, 3, 4}, all[2][4];

	OK(drx_create("shared", DRX_INT16, 2, shape, "{\"chunk\": [2, 2]}", &a));
	OK(drx_close(a));
	OK(drx_open("shared", DRX_SHARED, NULL, &a));
	OK(drx_open("shared", DRX_SHARED, NULL, &b));
	OK(drx_reserve(a, 0, 1, DRX_HIGH, 2, la, ha));
	OK(drx_reserve(b, 0, 1, DRX_HIGH, 2, lo, hi));
	CHECK(la[0] == 0 && lo[0] == 1 && hi[0] == 2);
	OK(drx_write(b, 2, lo, hi, NULL, DRX_INT16, row, sizeof row, NULL));
	OK(drx_write(a, 2, la, ha, NULL, DRX_INT16, row, sizeof row, NULL));
	WANT(DRX_EBOUNDS, drx_write(a, 2, lo, hi, NULL, DRX_INT16, row, sizeof row, NULL)); /* a does not see it */
	WANT(DRX_EREADONLY, drx_extend(a, 0, 1, DRX_HIGH, 0, NULL, NULL));
	OK(drx_write(b, 2, la, ha, NULL, DRX_INT16, row, sizeof row, NULL)); /* what another one has reserved, of a common chunk */
	OK(drx_close(a));
	OK(drx_close(b));
	OK(drx_open("shared", DRX_READ, NULL, &a));
	OK(drx_read(a, 2, NULL, NULL, NULL, DRX_INT16, all, sizeof all, NULL));
	CHECK(all[0][3] == 4 && all[1][0] == 1);
	OK(drx_close(a));
	OK(drx_open("shared", DRX_SHARED, NULL, &a));
	OK(drx_reserve_key(a, "task", 0, 1, DRX_HIGH, 2, la, ha));
	OK(drx_reserve_key(a, "task", 0, 1, DRX_HIGH, 2, lo, hi));
	CHECK(la[0] == 2 && ha[0] == 3 && lo[0] == 2 && hi[0] == 3);
	WANT(DRX_EINVAL, drx_reserve_key(a, "task", 1, 1, DRX_HIGH, 0, NULL, NULL));
	WANT(DRX_EINVAL, drx_reserve_key(a, "", 0, 1, DRX_HIGH, 0, NULL, NULL));
	WANT(DRX_ELOCKED, drx_open("shared", DRX_WRITE, "{\"wait\": 0.01}", &b));
	WANT(DRX_EINVAL, drx_open("shared", DRX_WRITE, "{\"wait\": -1}", &b));
	OK(drx_close(a));
}

/* dataset uses a dataset: a folder, or a file with several arrays. */
static void dataset(const char *name)
{
	drx_dataset d, reader;
	drx_array time, rain, again, seen;
	int64_t none[] = {0}, shape[] = {0, 3}, lo, hi, l[2], h[2], hours[] = {0, 1, 2, 3};
	double values[4];
	float frames[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};

	OK(drx_dataset_create(name, NULL, &d));
	WANT(DRX_EEXIST, drx_dataset_create(name, NULL, &reader));
	CHECK(reader == 0);
	OK(drx_dataset_create_variable(d, "time", DRX_INT64, 1, none,
		"{\"dims\": [\"time\"], \"attrs\": {\"units\": \"hours since 2024-01-01\"}}", &time));
	OK(drx_dataset_create_variable(d, "rain", DRX_FLOAT32, 2, shape, "{\"dims\": [\"time\", \"x\"]}", &rain));
	OK(drx_dataset_create_variable(d, "snow", DRX_FLOAT32, 0, NULL, "{\"dims\": [\"time\", \"x\"]}", NULL));
	WANT(DRX_EDATASET, drx_dataset_create_variable(d, "wrong", DRX_INT8, 1, (int64_t[]){7}, "{\"dims\": [\"x\"]}", &again));
	WANT(DRX_EINVAL, drx_dataset_create_variable(d, "wrong", DRX_INT8, 1, none, "{\"cache\": 1}", &again));
	OK(drx_dataset_create_group(d, "model"));
	OK(drx_dataset_variable(d, "rain", &again));
	CHECK(again == rain);
	WANT(DRX_EDATASET, drx_dataset_variable(d, "hail", &again));
	OK(drx_dataset_extend(d, "time", 4, DRX_HIGH, &lo, &hi));
	CHECK(lo == 0 && hi == 4);
	WANT(DRX_EDATASET, drx_dataset_extend(d, "depth", 4, DRX_HIGH, &lo, &hi));
	WANT(DRX_EBOUNDS, drx_dataset_extend(d, "time", 0, DRX_HIGH, &lo, &hi));
	WANT(DRX_EINVAL, drx_dataset_extend(d, "time", 1, 5, &lo, &hi));
	OK(drx_write(time, 1, NULL, NULL, NULL, DRX_INT64, hours, sizeof hours, NULL));
	OK(drx_write(rain, 2, NULL, NULL, NULL, DRX_FLOAT32, frames, sizeof frames, NULL));
	WANT(DRX_EINVAL, drx_extend(rain, 0, 1, DRX_HIGH, 0, NULL, NULL));
	SAYS("drx_dataset_extend");
	WANT(DRX_EINVAL, drx_recompress(rain, "lz4", NULL, NULL));
	SAYS("open the array by its name");
	WANT(DRX_EINVAL, drx_shrink(rain, 0, 1, DRX_HIGH));
	WANT(DRX_EINVAL, drx_close(rain));
	WANT(DRX_EINVAL, drx_sync(rain));
	OK(drx_dataset_set_attr(d, NULL, "title", "\"rain\""));
	OK(drx_dataset_set_attr(d, "model", "name", "\"harmonie\""));
	WANT(DRX_EDATASET, drx_dataset_set_attr(d, "nothing", "name", "1"));
	OK(drx_dataset_set_attr(d, "", "old", "1"));
	OK(drx_dataset_delete_attr(d, "", "old"));
	OK(drx_dataset_open(name, DRX_READ, NULL, &reader));
	OK(drx_dataset_variable(reader, "rain", &seen));
	OK(drx_dataset_dim(reader, "time", &lo, &hi));
	CHECK(lo == 0 && hi == 0); /* not committed */
	OK(drx_dataset_sync(d));
	OK(drx_dataset_refresh(reader));
	OK(drx_dataset_dim(reader, "time", &lo, &hi));
	CHECK(lo == 0 && hi == 4);
	OK(drx_bounds(seen, 2, l, h));
	CHECK(h[0] == 4 && h[1] == 3);
	OK(drx_dataset_coordinate(reader, "time", 1, 4, values));
	CHECK(values[0] == 1 && values[2] == 3);
	WANT(DRX_EBOUNDS, drx_dataset_coordinate(reader, "time", 1, 5, values));
	WANT(DRX_EINVAL, drx_dataset_coordinate(reader, "time", 1, 4, NULL));
	WANT(DRX_EDATASET, drx_dataset_coordinate(reader, "x", 0, 1, values));
	TEXT("[\"2024-01-01T02:00\",\"2024-01-01T03:00\"]", drx_dataset_coordinate_text(reader, "time", 2, 4, &text));
	TEXT("[[[1,3,1]],[[0,3,1]]]", drx_select(seen, "time=2024-01-01T01..2024-01-01T02", 0, &text));
	WANT(DRX_EVALUE, drx_select(seen, "time=2025", 1, &text));
	TEXT("[false,false]", drx_select_points(seen, "time=2024-01-01", 0, &text));
	TEXT("[true,false]", drx_select_points(seen, "time=2024-01-01", 2, &text));
	TEXT("[true,false]", drx_select_points(seen, "time=2024-01-01T02", 0, &text));
	TEXT("[false,false]", drx_select_points(seen, "time=2024-01-01T01..", 0, &text));
	WANT(DRX_EVALUE, drx_select_points(seen, "time=now", 0, &text));
	WANT(DRX_EINVAL, drx_select_points(seen, "", 3, &text));
	CHECK(text == NULL);
	TEXT("{\"title\":\"rain\"}", drx_dataset_attrs(reader, "", &text));
	OK(drx_dataset_info(reader, &text));
	CHECK(strstr(text, "\"dimensions\":{\"time\":4,\"x\":3}") && strstr(text, "\"model\":{\"name\":\"harmonie\"}"));
	drx_free(text);
	OK(drx_dataset_release(reader));
	WANT(DRX_ECLOSED, drx_bounds(seen, 2, l, h));
	OK(drx_dataset_variable(reader, "rain", &seen));
	OK(drx_get(seen, 2, (int64_t[]){3, 2}, DRX_FLOAT64, values));
	CHECK(values[0] == 12);
	OK(drx_dataset_close(reader));
	WANT(DRX_ECLOSED, drx_bounds(seen, 2, l, h));
	OK(drx_dataset_extend(d, "time", 1, DRX_HIGH, NULL, NULL));
	OK(drx_dataset_discard(d));
	WANT(DRX_ECLOSED, drx_get(rain, 2, l, DRX_FLOAT32, values));
	OK(drx_dataset_open(name, DRX_READ, NULL, &reader));
	OK(drx_dataset_dim(reader, "time", &lo, &hi));
	CHECK(hi == 4);
	OK(drx_dataset_close(reader));
}

/* rounds rounds numbers by two of netCDF's modes; the fill value stays. */
static void rounds(void)
{
	const char *of = "{\"dtype\": \"float32\", \"attrs\": {\"_FillValue\": -9.75}}";
	float in[] = {3.14159f, -9.75f, 100.25f, 0}, out[4];

	OK(drx_meaning_convert(of, of, "{\"significant_digits\": 3, \"quantize_mode\": \"BitRound\"}", 4, in, out));
	CHECK(out[0] == 3.25f && out[1] == -9.75f && out[2] == 104 && out[3] == 0);
	OK(drx_meaning_convert(of, of, "{\"significant_digits\": 1}", 4, in, out)); /* BitGroom: zeros and ones by turns */
	CHECK(out[0] == 3.125f && out[1] == -9.75f && out[2] == 100 && out[3] == 0);
	WANT(DRX_EINVAL, drx_meaning_convert(of, of, "{\"significant_digits\": 8}", 4, in, out));
	SAYS("8 digits");
	WANT(DRX_EINVAL, drx_meaning_convert(of, of, "{\"significant_digits\": 3, \"quantize_mode\": \"Chop\"}", 4, in, out));
	SAYS("want BitGroom");
	WANT(DRX_EINVAL, drx_meaning_convert("{\"dtype\": \"int8\"}", "{\"dtype\": \"int8\"}", "{\"significant_digits\": 1}", 4, in, out));
	SAYS("int8");
}


/* meanings compares what numbers mean, and converts them. */
static void meanings(void)
{
	const char *celsius = "{\"dtype\": \"float32\", \"attrs\": {\"units\": \"degC\"}}";
	const char *packed = "{\"dtype\": \"int16\", \"attrs\": {\"units\": \"K\", \"scale_factor\": 0.01, \"_FillValue\": -1}}";
	float in[] = {0, 1.5f, NAN};
	int16_t out[3];

	TEXT("{\"same\":true,\"factor\":1,\"shift\":0,\"note\":\"\"}", drx_meaning_compare(packed, packed, NULL, &text));
	OK(drx_meaning_compare(celsius, packed, "", &text));
	CHECK(strstr(text, "\"same\":false,\"factor\":1,\"shift\":273.15,\"note\":\"values in"));
	drx_free(text);
	OK(drx_meaning_compare("{\"dtype\": \"float32\", \"attrs\": {\"valid_max\": 9}}", "{\"dtype\": \"float32\", \"attrs\": {\"valid_max\": 7}}",
			       "{\"target\": \"x\"}", &text));
	CHECK(strstr(text, "\"same\":true") && strstr(text, "\"valid\":\"valid values (valid_min, valid_max, valid_range) are at most 9, and stay at most 7 in x"));
	drx_free(text);
	OK(drx_meaning_convert(celsius, packed, NULL, 3, in, out));
	CHECK(out[0] == 27315 && out[1] == 27465 && out[2] == -1);
	OK(drx_meaning_convert(packed, packed, NULL, 2, out + 1, out));
	CHECK(out[0] == 27465 && out[1] == -1);
	in[1] = 1e6f;
	WANT(DRX_EDTYPE, drx_meaning_convert(celsius, packed, NULL, 3, in, out));
	SAYS("element 1: value 1e+06 does not fit int16");
	OK(drx_meaning_convert(celsius, packed, "{\"rule\": \"clip\"}", 3, in, out));
	CHECK(out[1] == 32767);
	WANT(DRX_EDTYPE, drx_meaning_compare(celsius, "{\"dtype\": \"float32\", \"attrs\": {\"units\": \"m\"}}", "{\"target\": \"x\"}", &text));
	SAYS("units is \"degC\", that of x is \"m\"");
	CHECK(text == NULL);
	WANT(DRX_EDTYPE, drx_meaning_compare("{\"dtype\": \"text\"}", packed, NULL, &text));
	WANT(DRX_EDTYPE, drx_meaning_compare("{\"dtype\": \"int8\", \"fill\": 1000}", packed, NULL, &text));
	WANT(DRX_EINVAL, drx_meaning_compare("{\"type\": \"int8\"}", packed, NULL, &text));
	WANT(DRX_EINVAL, drx_meaning_compare(NULL, packed, NULL, &text));
	WANT(DRX_EINVAL, drx_meaning_compare(packed, packed, "{\"rule\": \"round\"}", &text));
	rounds();
	WANT(DRX_EINVAL, drx_meaning_convert(celsius, packed, NULL, -1, in, out));
	WANT(DRX_EINVAL, drx_meaning_convert(celsius, packed, NULL, 1, NULL, out));
	OK(drx_meaning_convert(celsius, packed, NULL, 0, NULL, NULL));
}

int main(void)
{
	meanings();
	labels();
	snapshots();
	codec();
	reserve();
	dataset("weather");
	dataset("weather2.drx");
	return 0;
}
