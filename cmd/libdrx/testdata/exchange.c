/* exchange.c - files of other formats: imported, appended, exported, cancelled, refused. */
#include <signal.h>
#include <sys/stat.h>

#include "check.h"

/* npy writes a table of int16 elements as a .npy file: row after row value, value + 1 ... */
static void npy(const char *name, int rows, int cols, int value)
{
	FILE *f = fopen(name, "wb");
	char head[128];
	int n;

	CHECK(f != NULL);
	memset(head, ' ', sizeof head);
	memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
	n = snprintf(head + 10, 118, "{'descr': '<i2', 'fortran_order': False, 'shape': (%d, %d), }", rows, cols);
	head[10 + n] = ' ';
	head[127] = '\n';
	CHECK(fwrite(head, 1, sizeof head, f) == sizeof head);
	for (int i = 0; i < rows * cols; i++) {
		int16_t v = (int16_t)(value + i);
		CHECK(fwrite(&v, sizeof v, 1, f) == 1);
	}
	CHECK(fclose(f) == 0);
}

static void content(const char *name, const char *text, size_t n)
{
	FILE *f = fopen(name, "wb");

	CHECK(f != NULL && fwrite(text, 1, n, f) == n && fclose(f) == 0);
}

static char *json;

#define HAS(text) CHECK(strstr(json, text) != NULL)

static void imports(void)
{
	const char *files[] = {"a.npy", "b.npy"};
	drx_array a;
	float values[12];

	npy("a.npy", 2, 3, 0);
	npy("b.npy", 2, 3, 100);
	OK(drx_import("A", 2, files, "{\"append\": \"time\", \"as\": \"float32\", \"chunk\": [1, 2, 3]}", NULL, NULL, &json));
	HAS("\"dtype\":\"float32\",\"dims\":[\"time\",\"\",\"\"],\"chunk\":[1,2,3]");
	HAS("\"dim\":\"time\",\"by\":2");
	drx_free(json);
	OK(drx_open("A", DRX_READ, NULL, &a));
	OK(drx_read(a, 3, NULL, NULL, NULL, DRX_FLOAT32, values, sizeof values, NULL));
	CHECK(values[0] == 0 && values[5] == 5 && values[6] == 100 && values[11] == 105);
	OK(drx_close(a));

	OK(drx_import("P", 2, files, "{\"append\": \"time\", \"codec\": \"zstd\"}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_import("P", 1, files, "{\"append\": \"time\", \"codec\": \"lz4\"}", NULL, NULL, NULL));
	SAYS("option \"codec\": \"lz4\": P exists and has the codec zstd:3");
	WANT(DRX_EINVAL, drx_import("Q", 1, files, "{\"codec\": \"zip\"}", NULL, NULL, NULL));
	SAYS("codec \"zip\"");

	OK(drx_import("B", 1, files, NULL, NULL, NULL, NULL));
	WANT(DRX_EEXIST, drx_import("B", 1, files, NULL, NULL, NULL, &json));
	CHECK(json == NULL);
	WANT(DRX_EINVAL, drx_import("C", 2, files, NULL, NULL, NULL, NULL));
	SAYS("append");
	WANT(DRX_EINVAL, drx_import("C", 0, files, NULL, NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_import("C", 1, NULL, NULL, NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_import(NULL, 1, files, NULL, NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_import("C", 1, files, "{\"appendd\": \"x\"}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_import("C", 1, files, "{\"as\": \"int3\"}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_import("C", 1, files, "{\"alone\": true}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_import("B", 1, files, "{\"append\": \"q\"}", NULL, NULL, NULL));
	SAYS("no dimension");
	files[0] = "b.npy";
	npy("b.npy", 2, 3, 300);
	WANT(DRX_EDTYPE, drx_import("C", 1, files, "{\"as\": \"int8\"}", NULL, NULL, NULL));
	SAYS("b.npy");
	SAYS("value 300 does not fit int8, which has -128 to 127");
	OK(drx_import("C", 1, files, "{\"as\": \"int8\", \"clip\": true}", NULL, NULL, NULL));
	files[0] = "none.npy";
	WANT(DRX_ENOTEXIST, drx_import("D", 1, files, NULL, NULL, NULL, NULL));
	files[0] = NULL;
	WANT(DRX_EINVAL, drx_import("D", 1, files, NULL, NULL, NULL, NULL));
	files[0] = "short.npy";
	content("short.npy", "\x93NUMPY\x01\x00\x76\x00{", 11);
	CHECK(drx_import("D", 1, files, NULL, NULL, NULL, NULL) != DRX_OK);
	SAYS("short.npy");
	files[0] = "text";
	content("text", "nothing that is known", 21);
	WANT(DRX_EINVAL, drx_import("D", 1, files, NULL, NULL, NULL, NULL));
}

static void exports(void)
{
	const char *files[] = {"part.zarr"};
	drx_array a;
	int16_t values[4];

	OK(drx_export("B", "part.zarr", "{\"lo\": [0, 1], \"hi\": [2, 3], \"codec\": \"zstd:9\", \"name\": \"v\"}", NULL, NULL, &json));
	HAS("\"format\":\"zarr2\",\"variables\":[{\"name\":\"v\",\"dtype\":\"int16\",\"shape\":[2,2]");
	drx_free(json);
	OK(drx_import("E", 1, files, "{\"var\": [\"v\"]}", NULL, NULL, NULL));
	OK(drx_open("E", DRX_READ, NULL, &a));
	OK(drx_read(a, 2, NULL, NULL, NULL, DRX_INT16, values, sizeof values, NULL));
	CHECK(values[0] == 1 && values[1] == 2 && values[2] == 4 && values[3] == 5);
	OK(drx_close(a));
	WANT(DRX_EEXIST, drx_export("B", "part.zarr", NULL, NULL, NULL, &json));
	CHECK(json == NULL);
	WANT(DRX_EINVAL, drx_export("B", "x.npy", "{\"codec\": \"zstd\"}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_export("B", "x.none", NULL, NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_export("B", "x.npy", "{\"lo\": [0], \"hi\": [1, 1]}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_export("B", "x.npy", "{\"lo\": [0, 0], \"hi\": [9, 1]}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_export("B", "x.npy", "{\"sel\": [\"day=1\"]}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_export("B", NULL, NULL, NULL, NULL, NULL));
	WANT(DRX_ENOTEXIST, drx_export("none", "x.npy", NULL, NULL, NULL, NULL));
	CHECK(fopen("x.npy", "rb") == NULL);
}

static int at_once(void *user, int64_t done, int64_t total)
{
	(void)user, (void)done, (void)total;
	return 1;
}

/* soon cancels as soon as something is done, and notes how much. */
static int soon(void *reached, int64_t done, int64_t total)
{
	CHECK(total == -1 || done <= total);
	if (done > 0)
		*(int64_t *)reached = done;
	return done > 0 && done < total;
}

/* cancelled begins an import that is cancelled, and returns how many rows it has, of 4000 elements:
 * more, until the machine is not too fast for the second call of the callback, after a tenth of a
 * second. */
static int cancelled(void)
{
	const char *files[] = {"large.npy"};
	int code = DRX_OK, rows = 2000, found;
	int64_t reached = 0;

	while (code == DRX_OK && rows < 256000) {
		rows *= 2;
		npy("large.npy", rows, 4000, 0);
		OK(drx_exists("L", &found));
		if (found)
			OK(drx_remove("L"));
		code = drx_import("L", 1, files, "{\"memory\": 1048576, \"as\": \"float64\", \"chunk\": [50, 50]}", soon, &reached, NULL);
	}
	CHECK(code == DRX_ECANCELLED && reached > 0);
	return rows;
}

/* resumed continues it, and checks all elements. */
static void resumed(int rows)
{
	static double values[64 * 4000];
	const char *files[] = {"large.npy"};
	char shape[64];
	drx_array a;

	OK(drx_open("L", DRX_READ, NULL, &a));
	OK(drx_get(a, 2, (int64_t[]){rows - 1, 3999}, DRX_FLOAT64, values));
	CHECK(values[0] == 0); /* the last element, an odd number in the file, is still missing */
	OK(drx_close(a));
	WANT(DRX_EEXIST, drx_import("L", 1, files, NULL, NULL, NULL, NULL));
	OK(drx_import("L", 1, files, "{\"resume\": true}", NULL, NULL, &json));
	snprintf(shape, sizeof shape, "\"shape\":[%d,4000]", rows);
	HAS(shape);
	HAS("float64");
	drx_free(json);
	OK(drx_open("L", DRX_READ, NULL, &a));
	for (int64_t lo[] = {0, 0}, hi[] = {0, 4000}; lo[0] < rows; lo[0] = hi[0]) {
		hi[0] = lo[0] + 64 < rows ? lo[0] + 64 : rows;
		OK(drx_read(a, 2, lo, hi, NULL, DRX_FLOAT64, values, 8 * 4000 * (hi[0] - lo[0]), NULL));
		for (int64_t i = 0; i < 4000 * (hi[0] - lo[0]); i++)
			CHECK(values[i] == (int16_t)(4000 * lo[0] + i));
	}
	OK(drx_close(a));
}

static void cancels(void)
{
	const char *files[] = {"b.npy"};
	int found;

	WANT(DRX_ECANCELLED, drx_import("L", 1, files, NULL, at_once, NULL, NULL));
	OK(drx_exists("L", &found));
	CHECK(!found);
	resumed(cancelled());
	OK(drx_remove("L"));
}

/* Programs that end at once, or are not there, are errors: the host's SIGPIPE does not end it. */
static void bridges(void)
{
	const char *files[] = {"a.h5"};
	drx_array a = 7;
	int code;

	signal(SIGPIPE, SIG_DFL);
	content("a.h5", "\x89HDF\r\n\x1a\n0123456789", 18);
	content("ends", "#!/bin/sh\nexec 0<&-\nexit 0\n", 27);
	CHECK(chmod("ends", 0755) == 0);
	for (int i = 0; i < 20; i++) {
		code = drx_import("H", 1, files, "{\"bridge\": \"./ends\"}", NULL, NULL, NULL);
		CHECK(code != DRX_OK && code != DRX_EINTERNAL);
	}
	WANT(DRX_ENOTEXIST, drx_import("H", 1, files, "{\"bridge\": \"./nowhere\"}", NULL, NULL, NULL));
	SAYS("nowhere");
	WANT(DRX_ENOTEXIST, xtaHDFmap("a.h5", "data", "H", &a));
	CHECK(a == 0);
	WANT(DRX_EINVAL, xtaNetCDFmap("a.nc", NULL, "H", &a));
	WANT(DRX_EINVAL, xtaHDFmap(NULL, "data", "H", &a));
	OK(drx_open("B", DRX_WRITE, NULL, &a));
	WANT(DRX_ENOTEXIST, xtaHDFwrite(a, "b.h5", "data"));
	WANT(DRX_ENOTEXIST, xtaNetCDFwrite(a, "b.nc", "data"));
	OK(drx_close(a));
	WANT(DRX_ECLOSED, xtaHDFwrite(a, "b.h5", "data"));
	WANT(DRX_EHANDLE, xtaNetCDFwrite(12345, "b.nc", "data"));
}

/* line makes an array of one dimension. */
static void line(const char *name, int n, const int16_t *values, const char *options)
{
	drx_array a;
	int64_t shape[] = {n};

	OK(drx_create(name, DRX_INT16, 1, shape, options, &a));
	OK(drx_write(a, 1, NULL, NULL, NULL, DRX_INT16, values, 2 * (int64_t)n, NULL));
	OK(drx_close(a));
}

/* holds wants an array to have some elements. */
static void holds(const char *name, int n, const int16_t *values)
{
	drx_array a;
	int16_t seen[16];

	OK(drx_open(name, DRX_READ, NULL, &a));
	OK(drx_read(a, 1, NULL, NULL, NULL, DRX_INT16, seen, 2 * (int64_t)n, NULL));
	CHECK(memcmp(values, seen, 2 * (size_t)n) == 0);
	OK(drx_close(a));
}

/* Comparing, leaving out, sorting and joining. */
static void wholes(void)
{
	const int16_t values[] = {5, 6, 7, 8}, others[] = {5, 6, 7, 9};
	const char *more[] = {"other"};

	line("line", 4, values, "{\"dims\": [\"x\"], \"lo\": [-1]}");
	line("other", 4, others, "{\"dims\": [\"x\"], \"lo\": [-1]}");
	OK(drx_diff("line", "other", NULL, NULL, NULL, &json));
	HAS("\"same\":false");
	HAS("\"compared\":4,\"different\":1,\"missing\":0,\"largest\":{\"index\":[2],");
	drx_free(json);
	OK(drx_diff("line", "other", "{\"atol\": 1}", NULL, NULL, &json));
	HAS("\"same\":true");
	drx_free(json);
	WANT(DRX_EINVAL, drx_diff("line", "other", "{\"rtol\": -1}", NULL, NULL, &json));
	SAYS("option \"rtol\": -1");
	CHECK(json == NULL);
	WANT(DRX_ENOTEXIST, drx_diff("line", "none", NULL, NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_diff("line", NULL, NULL, NULL, NULL, NULL));
	WANT(DRX_ECANCELLED, drx_diff("line", "other", NULL, at_once, NULL, NULL));

	OK(drx_cut("line", "cut", "{\"at\": {\"x\": [0, 2]}, \"plan\": true}", NULL, NULL, &json));
	HAS("\"state\":\"planned\",\"dim\":\"x\",\"extent\":[4,2]");
	drx_free(json);
	OK(drx_cut("line", "cut", "{\"at\": {\"x\": [0, 2]}}", NULL, NULL, NULL));
	holds("cut", 2, (int16_t[]){5, 8});
	WANT(DRX_EEXIST, drx_cut("line", "cut", "{\"at\": {\"x\": [0, 2]}}", NULL, NULL, NULL));
	WANT(DRX_EVALUE, drx_cut("line", "no", NULL, NULL, NULL, &json));
	SAYS("select what is to be left out");
	WANT(DRX_EBOUNDS, drx_cut("line", "no", "{\"at\": {\"x\": [0, 9]}}", NULL, NULL, NULL));
	WANT(DRX_ERANK, drx_cut("line", "no", "{\"at\": {\"y\": [0, 1]}}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_cut("line", "no", "{\"at\": {\"x\": [0]}}", NULL, NULL, NULL));
	WANT(DRX_EDATASET, drx_cut("line", "no", "{\"sel\": [\"x=1\"]}", NULL, NULL, NULL));
	WANT(DRX_ENOTEXIST, drx_cut("none", "no", "{\"at\": {\"x\": [0, 1]}}", NULL, NULL, NULL));
	WANT(DRX_ECANCELLED, drx_cut("line", "no", "{\"at\": {\"x\": [0, 2]}}", at_once, NULL, NULL));

	WANT(DRX_EDATASET, drx_sort("line", "no", "x", NULL, NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_sort("line", "no", NULL, NULL, NULL, NULL, NULL));
	line("named", 3, values, "{\"dims\": [\"x\"], \"attrs\": {\"labels/0/0\": [\"c\", \"a\", \"b\"]}}");
	OK(drx_sort("named", "sorted", "x", NULL, NULL, NULL, NULL));
	holds("sorted", 3, (int16_t[]){6, 7, 5});

	OK(drx_import("line", 1, more, "{\"append\": \"x\"}", NULL, NULL, &json));
	HAS("\"by\":4");
	drx_free(json);
	holds("line", 8, (int16_t[]){5, 6, 7, 8, 5, 6, 7, 9});
}

/* Windows of indices, and other coordinates. */
static void grids(void)
{
	CHECK(mkdir("grids", 0777) == 0);
	line("grids/line", 4, (int16_t[]){5, 6, 7, 8}, "{\"dims\": [\"x\"]}");
	OK(drx_coarsen("grids/line", "means", "{\"windows\": {\"x\": 2}}", NULL, NULL, &json));
	HAS("\"dims\":[{\"name\":\"x\",\"from\":4,\"to\":2,\"wraps\":false}]");
	drx_free(json);
	WANT(DRX_EEXIST, drx_coarsen("grids/line", "means", "{\"windows\": {\"x\": 2}}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_coarsen("grids/line", "no", NULL, NULL, NULL, &json));
	SAYS("option windows is missing");
	WANT(DRX_EINVAL, drx_coarsen("grids/line", "no", "{\"windows\": {\"x\": \"some\"}}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_coarsen("grids/line", "no", "{\"windows\": {\"x\": 3}}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_coarsen("grids/line", "no", "{\"windows\": {\"x\": 3}, \"func\": \"typical\"}", NULL, NULL, NULL));
	WANT(DRX_EBOUNDS, drx_coarsen("grids/line", "no", "{\"windows\": {\"x\": 5}}", NULL, NULL, NULL));
	WANT(DRX_EDATASET, drx_coarsen("grids/line", "no", "{\"windows\": {\"x\": \"1D\"}}", NULL, NULL, NULL));
	WANT(DRX_ENOTEXIST, drx_coarsen("none", "no", "{\"windows\": {\"x\": 2}}", NULL, NULL, NULL));
	WANT(DRX_ECANCELLED, drx_coarsen("grids/line", "no", "{\"windows\": {\"x\": 2}}", at_once, NULL, NULL));
	WANT(DRX_EDATASET, drx_regrid("grids/line", "no", "{\"to\": {\"x\": [1]}}", NULL, NULL, &json));
	SAYS("has no coordinate");
	WANT(DRX_EINVAL, drx_regrid("grids/line", "no", "{\"to\": 3}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_regrid("grids/line", "no", NULL, NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_regrid("grids/line", "no", "{\"to\": \"x=1\", \"method\": \"cubic\"}", NULL, NULL, NULL));
	WANT(DRX_ENOTEXIST, drx_regrid("grids/line", "no", "{\"to\": \"none\"}", NULL, NULL, NULL));
}

/* Names of dimensions and variables. */
static void renames(void)
{
	drx_array a;
	drx_dataset d;
	int64_t shape[] = {2, 3};
	int dim;

	OK(drx_create("renamed", DRX_INT8, 2, shape, "{\"dims\": [\"y\", \"x\"]}", &a));
	OK(drx_rename_dim(a, 1, "lon"));
	OK(drx_dim(a, "lon", &dim));
	CHECK(dim == 1);
	WANT(DRX_ERANK, drx_rename_dim(a, 2, "z"));
	WANT(DRX_ERANK, drx_rename_dim(a, 1, "y"));
	WANT(DRX_EINVAL, drx_rename_dim(a, 1, NULL));
	OK(drx_close(a));
	OK(drx_dataset_create("renames", NULL, &d));
	OK(drx_dataset_create_variable(d, "t2m", DRX_INT8, 2, shape, "{\"dims\": [\"y\", \"x\"]}", &a));
	WANT(DRX_EINVAL, drx_rename_dim(a, 0, "lat"));
	SAYS("drx_dataset_rename");
	WANT(DRX_EDATASET, drx_dataset_rename(d, "none", "some"));
	OK(drx_rank(a, NULL)); /* nothing was closed */
	OK(drx_dataset_rename(d, "t2m", "temperature"));
	WANT(DRX_ECLOSED, drx_rank(a, NULL));
	OK(drx_dataset_rename(d, "x", "lon"));
	WANT(DRX_EEXIST, drx_dataset_rename(d, "lon", "y"));
	OK(drx_dataset_variable(d, "temperature", &a));
	OK(drx_dim(a, "lon", &dim));
	CHECK(dim == 1);
	OK(drx_dataset_close(d));
	WANT(DRX_EINVAL, drx_set_locks("none"));
	SAYS("auto, system or file");
	OK(drx_set_locks("file"));
	OK(drx_set_locks("auto"));
}

int main(void)
{
	imports();
	exports();
	wholes();
	grids();
	renames();
	cancels();
	bridges();
	return 0;
}
