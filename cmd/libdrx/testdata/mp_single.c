/* mp_single.c - a program of one thread per process makes every call, on a communicator of some
 * processes. No call of MPI is made on another thread, or with MPI_COMM_WORLD. It is linked with
 * pmpi.c, which counts. */
#include "mp.h"

#include <pthread.h>

#include "pmpi.h"

static MPI_Comm part;

/* elsewhere makes calls on another thread: those that involve only this process work, the others
 * are refused before MPI is called. */
static void *elsewhere(void *handle)
{
	drxmp_array a = *(drxmp_array *)handle;
	int16_t x[6];

	OK(drxmp_read(a, 2, (int64_t[]){0, 0}, (int64_t[]){2, 3}, NULL, DRX_INT16, x, sizeof x, NULL));
	FAILS(DRXMP_ETHREAD, drxmp_sync(a));
	SAYS("MPI_THREAD_MULTIPLE");
	FAILS(DRXMP_ETHREAD, drxmp_read_zone_all(a, DRX_INT16, x, 0) ? DRXMP_ETHREAD : 0);
	return NULL;
}

static void background(drxmp_array a)
{
	int16_t x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {0};
	int64_t lo[] = {0, 0}, hi[] = {2, 3};
	int done;
	drxmp_request r;

	OK(drxmp_start_write(a, 2, lo, hi, NULL, DRX_INT16, x, sizeof x, NULL, &r));
	OK(drxmp_wait(r));
	FAILS(DRX_ECLOSED, drxmp_wait(r));
	OK(drxmp_start_read(a, 2, lo, hi, NULL, DRX_INT16, y, sizeof y, NULL, &r));
	OK(drxmp_test(r, &done));
	OK(drxmp_wait(r));
	TRUE(memcmp(x, y, sizeof x) == 0);
	OK(drxmp_start_read_all(a, 2, lo, hi, NULL, DRX_INT16, y, sizeof y, NULL, &r));
	FAILS(DRXMP_ETHREAD, drxmp_wait(r));
	OK(drxmp_start_write_all(a, 2, lo, lo, NULL, DRX_INT16, NULL, 0, NULL, &r));
	FAILS(DRXMP_ETHREAD, drxmp_wait(r));
}

static void memory(drxmp_array a, int procs)
{
	int64_t shape[3], lo[] = {0, 0, 0}, hi[] = {1, 1, 1}, size;
	int16_t one = 1, *mine, total = 0;
	drxmp_global g;
	void *local;

	OK(drxmp_global_create(a, &g));
	OK(drxmp_global_load(g));
	OK(drxmp_global_zone(g, DRXMP_ME, 3, shape));
	OK(drxmp_global_local(g, &local, &size));
	mine = local;
	TRUE(size == 2 * shape[0] * shape[1] * shape[2]);
	for (int64_t i = 0; i < size / 2; i++)
		mine[i] = 0;
	OK(drxmp_global_fence(g));
	OK(drxmp_global_accumulate(g, DRXMP_SUM, 3, lo, hi, NULL, DRX_INT16, &one, 2, NULL));
	OK(drxmp_global_fence(g));
	OK(drxmp_global_get(g, 3, lo, hi, NULL, DRX_INT16, &total, 2, NULL));
	TRUE(total == procs);
	OK(drxmp_global_fence(g));
	one = 100;
	lo[0] = -1, hi[0] = 0;
	OK(drxmp_global_put(g, 3, lo, hi, NULL, DRX_INT16, &one, 2, NULL));
	FAILS(DRX_EBOUNDS, drxmp_global_put(g, 3, NULL, (int64_t[]){99, 1, 1}, NULL, DRX_INT16, &one, 2, NULL));
	OK(drxmp_extend(a, 0, 4, DRX_HIGH, 0, NULL, NULL));
	OK(drxmp_global_follow(g));
	OK(drxmp_global_store(g));
	OK(drxmp_global_close(g));
}

static void works(int procs)
{
	int64_t shape[] = {6, 5}, lo[3], hi[3], zone[3];
	int rank, dtype, dim, changed, proc;
	double column[3];
	char *json;
	drxmp_array a, reader;
	pthread_t thread;

	OK(drxmp_create(part, "a", DRX_INT16, 2, shape, "{\"chunk\": [2, 2], \"fill\": -1}", &a));
	OK(drxmp_open(part, "a", DRX_READ, "{\"engine\": \"mpiio\", \"distribution\": [\"cyclic\", \"block\"]}", &reader));
	OK(drxmp_extend(a, 0, 2, DRX_LOW, 2, lo, hi));
	TRUE(lo[0] == -2 && hi[0] == 0 && hi[1] == 5);
	background(a);
	pthread_create(&thread, NULL, elsewhere, &a);
	pthread_join(thread, NULL);
	OK(drxmp_set_attr(a, "units", "\"mm\""));
	OK(drxmp_sync(a));
	OK(drxmp_refresh(reader, &changed));
	TRUE(changed);
	OK(drxmp_attr(reader, "units", &json));
	TRUE(json && strcmp(json, "\"mm\"") == 0);
	drx_free(json);
	/* Into doubles, one column, from an array of int16. */
	OK(drxmp_read_all(reader, 2, (int64_t[]){0, 0}, (int64_t[]){6, 1}, (int64_t[]){2, 1}, DRX_FLOAT64, column, sizeof column, NULL));
	TRUE(column[0] == 1 && column[1] == -1 && column[2] == -1);
	OK(drxmp_owner(reader, 2, (int64_t[]){5, 4}, &proc));
	TRUE(proc >= 0 && proc < procs);
	OK(drxmp_discard(reader));
	OK(drxmp_add_dim(a, "time", &dim));
	OK(drxmp_rank(a, &rank));
	OK(drxmp_dtype(a, &dtype));
	TRUE(dim == 2 && rank == 3 && dtype == DRX_INT16);
	memory(a, procs);
	OK(drxmp_shrink(a, 1, 1, DRX_HIGH));
	OK(drxmp_zone(a, DRXMP_ME, 3, zone));
	OK(drxmp_bounds(a, 3, lo, hi));
	TRUE(lo[0] == -2 && hi[0] == 10 && hi[1] == 4 && hi[2] == 1);
	OK(drxmp_info(a, &json));
	TRUE(json && strstr(json, "\"hi\":[10,4,1]") && strstr(json, "\"name\":\"a\""));
	drx_free(json);
	OK(drxmp_delete_attr(a, "units"));
	OK(drxmp_attrs(a, &json));
	TRUE(json && strcmp(json, "{}") == 0);
	drx_free(json);
	OK(drxmp_close(a));
}

/* seen reads what is in the file by drx.h, which the same library has. */
static void seen(int procs)
{
	drx_array a;
	int16_t x, y;

	OK(drx_open("a", DRX_READ, NULL, &a));
	OK(drx_get(a, 3, (int64_t[]){-1, 0, 0}, DRX_INT16, &x));
	OK(drx_get(a, 3, (int64_t[]){0, 0, 0}, DRX_INT16, &y));
	TRUE(x == 100 && y == procs);
	OK(drx_close(a));
}

int main(int argc, char **argv)
{
	int procs;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &procs);
	MPI_Comm_split(MPI_COMM_WORLD, me == procs - 1 ? MPI_UNDEFINED : 0, -me, &part); /* all but one, the other way round */
	if (part != MPI_COMM_NULL) {
		pmpi_begin();
		works(procs - 1);
		seen(procs - 1);
		TRUE(pmpi_calls() > 100);
		TRUE(pmpi_foreign() == 0);
		TRUE(pmpi_world() == 0);
		if (*pmpi_first())
			printf("the first was MPI_%s\n", pmpi_first());
		MPI_Comm_free(&part);
	}
	return finish();
}
