/* callbacks.c - long calls report, can be cancelled, and call back on the caller's thread; a
 * callback may call the library, also for the same array. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static drx_array a;
static pthread_t caller;
static int calls, cancel_at;
static int64_t last_done, last_total;

static int progress(void *user, int64_t done, int64_t total)
{
	int64_t lo[2], hi[2];
	int8_t v = 3;

	CHECK(pthread_equal(pthread_self(), caller) && user == &calls);
	CHECK(done >= last_done || calls == 0);
	last_done = done, last_total = total;
	OK(drx_bounds(a, 2, lo, hi));
	OK(drx_get(a, 2, lo, DRX_INT8, &v));
	WANT(DRX_EBUSY, drx_close(a));
	WANT(DRX_EBUSY, drx_discard(a));
	return ++calls == cancel_at;
}

static int simple(void *user, int64_t done, int64_t total)
{
	(void)user, (void)done, (void)total;
	return ++calls == cancel_at;
}

static void verify(void)
{
	char *report;

	calls = 0, cancel_at = -1;
	OK(drx_verify(a, progress, &calls, &report));
	CHECK(calls >= 2 && last_done == last_total && last_done > 0);
	CHECK(strstr(report, "\"damaged\":[]"));
	drx_free(report);
	calls = 0, cancel_at = 1;
	report = "not NULL";
	WANT(DRX_ECANCELLED, drx_verify(a, progress, &calls, &report));
	CHECK(calls == 1 && report == NULL);
	OK(drx_verify(a, NULL, NULL, NULL));
	calls = 0, cancel_at = -1;
	OK(drx_compact(a, progress, &calls));
	CHECK(calls >= 2);
	calls = 0;
	OK(drx_recompress(a, "zstd:1", progress, &calls));
	CHECK(calls >= 2 && last_done == last_total && last_done > 0);
	calls = 0, cancel_at = 1;
	WANT(DRX_ECANCELLED, drx_recompress(a, "lz4", progress, &calls));
	calls = 0, cancel_at = -1;
	OK(drx_recompress(a, "none", progress, &calls));
	char *json = NULL;
	calls = 0;
	OK(drx_stats(a, "{\"functions\": [\"count\", \"p90\"]}", progress, &calls, &json));
	CHECK(calls >= 1 && strstr(json, "\"dims\":[],\"shape\":[],\"counts\":[") && strstr(json, "\"name\":\"p90\",\"dtype\":\"float64\",\"values\":["));
	drx_free(json);
	WANT(DRX_EINVAL, drx_stats(a, "{\"functions\": [\"average\"]}", NULL, NULL, &json));
	CHECK(json == NULL);
	WANT(DRX_ERANK, drx_stats(a, "{\"functions\": [\"sum\"], \"over\": [\"none\"]}", NULL, NULL, &json));
	calls = 0, cancel_at = 1;
	WANT(DRX_ECANCELLED, drx_stats(a, "{\"functions\": [\"sum\"]}", progress, &calls, &json));
	calls = 0, cancel_at = -1;
}

struct walk {
	int parts, elements, stop_at, nested;
};

static int part(void *user, int rank, const int64_t *lo, const int64_t *hi, int64_t number)
{
	struct walk *w = user;
	int8_t *buf;
	int64_t n = 1;

	CHECK(rank == 2 && number >= -1);
	for (int d = 0; d < rank; d++)
		n *= hi[d] - lo[d];
	w->elements += (int)n;
	buf = malloc((size_t)n);
	OK(drx_read(a, 2, lo, hi, NULL, DRX_INT8, buf, n, NULL));
	OK(drx_write(a, 2, lo, hi, NULL, DRX_INT8, buf, n, NULL));
	free(buf);
	WANT(DRX_EBUSY, drx_close(a));
	if (!w->nested) {
		struct walk inner = {.nested = 1};
		OK(drx_extend(a, 0, 1, DRX_HIGH, 0, NULL, NULL)); /* not seen by this walk */
		OK(drx_walk(a, 2, lo, hi, NULL, 0, part, &inner));
		CHECK(inner.parts == 1 && inner.elements == n);
		OK(drx_shrink(a, 0, 1, DRX_HIGH));
	}
	return ++w->parts == w->stop_at;
}

static void walk(void)
{
	struct walk w = {0};
	int64_t tile[] = {1, 0}, lo[] = {0, 0}, hi[] = {10, 10};

	OK(drx_walk(a, 2, NULL, NULL, NULL, 0, part, &w));
	CHECK(w.parts == 16 && w.elements == 64 * 64);
	w = (struct walk){0};
	OK(drx_walk(a, 2, lo, hi, tile, 1, part, &w));
	CHECK(w.parts == 10 && w.elements == 100);
	w = (struct walk){.stop_at = 3};
	WANT(DRX_ECANCELLED, drx_walk(a, 2, NULL, NULL, NULL, 0, part, &w));
	CHECK(w.parts == 3);
	tile[0] = -1;
	WANT(DRX_EBOUNDS, drx_walk(a, 2, NULL, NULL, tile, 0, part, &w));
}

static int changes;

static int change(void *user, const char *json)
{
	drx_array reader = *(drx_array *)user;
	int64_t lo[2], hi[2];

	CHECK(pthread_equal(pthread_self(), caller));
	CHECK(json[0] == '{');
	OK(drx_bounds(reader, 2, lo, hi)); /* refreshed already */
	CHECK(strstr(json, "\"extend\"") == NULL || hi[0] > 64);
	WANT(DRX_EBUSY, drx_close(reader));
	return strstr(json, "\"units\"") != NULL;
}

static void *write_later(void *unused)
{
	(void)unused;
	usleep(50000);
	OK(drx_extend(a, 0, 2, DRX_HIGH, 0, NULL, NULL));
	OK(drx_sync(a));
	usleep(50000);
	OK(drx_set_attr_text(a, "units", "mm"));
	OK(drx_sync(a));
	changes = 2;
	return NULL;
}

static void follow(void)
{
	drx_array reader;
	pthread_t writer;
	char *json;
	int changed;

	OK(drx_open("a", DRX_READ, NULL, &reader));
	OK(drx_follow(reader, 0, change, &reader)); /* nothing yet */
	OK(drx_poll(reader, 0, &json));
	CHECK(strcmp(json, "[]") == 0);
	drx_free(json);
	CHECK(pthread_create(&writer, NULL, write_later, NULL) == 0);
	WANT(DRX_ECANCELLED, drx_follow(reader, 20, change, &reader));
	CHECK(pthread_join(writer, NULL) == 0);
	OK(drx_extend(a, 1, 1, DRX_LOW, 0, NULL, NULL));
	OK(drx_set_attr_int(a, "n", 1));
	OK(drx_sync(a));
	OK(drx_poll(reader, 20, &json));
	CHECK(strstr(json, "\"low\"") && strstr(json, "\"attrs\":[\"n\"]"));
	drx_free(json);
	OK(drx_refresh(reader, &changed));
	CHECK(changed == 0);
	OK(drx_shrink(a, 1, 1, DRX_LOW));
	OK(drx_sync(a));
	OK(drx_refresh(reader, &changed));
	CHECK(changed == 1);
	WANT(DRX_EINVAL, drx_follow(a, 0, change, &a)); /* a writer has nobody to follow */
	WANT(DRX_EINVAL, drx_poll(reader, 0.0 / 0.0, &json));
	OK(drx_close(reader));
}

/* rounded rounds a number to two bits of the fraction. */
static float rounded(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof u);
	u = (u + (1u << 20)) & ~((1u << 21) - 1);
	memcpy(&f, &u, sizeof u);
	return f;
}

static void copies(void)
{
	drx_array to;
	int64_t shape[] = {66, 64}, lo[2], hi[2];
	char *stats;
	int found;

	OK(drx_bounds(a, 2, lo, hi));
	shape[0] = hi[1] - lo[1], shape[1] = hi[0] - lo[0];
	OK(drx_create("turned", DRX_FLOAT32, 2, shape, "{\"chunk\": [5, 7]}", &to));
	calls = 0, cancel_at = 1;
	WANT(DRX_ECANCELLED, drx_relayout(to, a, "{\"order\": [1, 0]}", simple, NULL, NULL));
	calls = 0, cancel_at = -1;
	OK(drx_relayout(to, a, "{\"order\": [1, 0]}", simple, NULL, &stats));
	CHECK(calls >= 2 && strstr(stats, "bytes_written"));
	drx_free(stats);
	for (int i = 0; i < 64; i += 9) {
		int8_t v;
		float f;
		OK(drx_get(a, 2, (int64_t[]){i, 63 - i}, DRX_INT8, &v));
		OK(drx_get(to, 2, (int64_t[]){63 - i, i}, DRX_FLOAT32, &f));
		CHECK(f == v);
	}
	WANT(DRX_EINVAL, drx_relayout(to, to, NULL, NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_relayout(to, a, "{\"ordre\": 1}", NULL, NULL, NULL));
	WANT(DRX_ERANK, drx_relayout(to, a, "{\"order\": [1, 0, 2]}", NULL, NULL, NULL));
	WANT(DRX_EBOUNDS, drx_relayout(to, a, "{\"hi\": [1, 1]}", NULL, NULL, NULL)); /* another shape */
	OK(drx_close(to));
	OK(drx_create("rounded", DRX_FLOAT32, 2, shape, NULL, &to));
	WANT(DRX_EINVAL, drx_relayout(to, a, "{\"order\": [1, 0], \"digits\": 8}", NULL, NULL, NULL));
	WANT(DRX_EINVAL, drx_relayout(to, a, "{\"order\": [1, 0], \"digits\": 2, \"bits\": 2}", NULL, NULL, NULL));
	OK(drx_relayout(to, a, "{\"order\": [1, 0], \"bits\": 2}", NULL, NULL, NULL));
	for (int i = 0; i < 64; i++) {
		int8_t v;
		float f;
		OK(drx_get(a, 2, (int64_t[]){i, 63 - i}, DRX_INT8, &v));
		OK(drx_get(to, 2, (int64_t[]){63 - i, i}, DRX_FLOAT32, &f));
		CHECK(f == rounded((float)v));
	}
	OK(drx_attr(to, "_QuantizeBitRoundNumberOfSignificantBits", &stats));
	CHECK(strcmp(stats, "2") == 0);
	drx_free(stats);
	OK(drx_close(to));
	OK(drx_remove("rounded"));
	calls = 0;
	OK(drx_copy_files("turned", "copied", simple, NULL));
	CHECK(calls >= 2);
	OK(drx_rename("copied", "renamed"));
	OK(drx_exists("copied", &found));
	CHECK(!found);
	OK(drx_exists("renamed", &found));
	CHECK(found);
	OK(drx_remove("renamed"));
	OK(drx_list(".", &stats));
	CHECK(strcmp(stats, "{\"arrays\":[\"a\",\"turned\"],\"folders\":[]}") == 0);
	drx_free(stats);
}

/* damage is found, and what is intact saved. */
static void damage(void)
{
	FILE *f;
	char *report = NULL;
	drx_array b;
	int64_t memory;

	OK(drx_close(a));
	f = fopen("turned.xta", "r+b");
	CHECK(f && fseek(f, 200, SEEK_SET) == 0 && fwrite("damage", 1, 6, f) == 6 && fclose(f) == 0);
	OK(drx_open("turned", DRX_READ, NULL, &b));
	WANT(DRX_ECORRUPT, drx_verify(b, NULL, NULL, &report));
	CHECK(report && strstr(report, "checksum"));
	drx_free(report);
	OK(drx_close(b));
	OK(drx_recover("turned", "saved", 0, NULL, NULL, &report));
	CHECK(strstr(report, "\"lost\":[{"));
	drx_free(report);
	OK(drx_accept_loss("turned"));
	OK(drx_set_memory(100000000, NULL));
	OK(drx_set_memory(0, &memory));
	CHECK(memory == 100000000);
	WANT(DRX_EINVAL, drx_set_memory(-1, &memory));
	OK(drx_open("saved", DRX_READ, NULL, &b));
	OK(drx_close(b));
}

int main(void)
{
	int64_t shape[] = {64, 64};
	static int8_t data[64 * 64];

	caller = pthread_self();
	for (int i = 0; i < 64 * 64; i++)
		data[i] = (int8_t)(i * 5);
	OK(drx_create("a", DRX_INT8, 2, shape, "{\"chunk\": [16, 16], \"dims\": [\"y\", \"x\"]}", &a));
	OK(drx_write(a, 2, NULL, NULL, NULL, DRX_INT8, data, sizeof data, NULL));
	OK(drx_sync(a));
	verify();
	walk();
	OK(drx_sync(a));
	follow();
	copies();
	damage();
	return 0;
}
