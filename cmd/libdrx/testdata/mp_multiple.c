/* mp_multiple.c - with MPI_THREAD_MULTIPLE: two threads of each process work on two communicators,
 * and collective calls go on in the background. At the end process 0 has a fault within a call. */
#include "mp.h"

#include <pthread.h>

static MPI_Comm comms[2];

static void *work(void *number)
{
	int i = *(int *)number, rank, procs;
	char name[] = "array 0";
	int64_t shape[] = {4, 0}, lo[2], hi[2];
	int32_t column[4], *back;
	drxmp_array a;
	drxmp_request w, r;

	name[6] += (char)i;
	MPI_Comm_rank(comms[i], &rank);
	MPI_Comm_size(comms[i], &procs);
	OK(drxmp_create(comms[i], name, DRX_INT32, 2, shape, "{\"chunk\": [2, 3]}", &a));
	for (int step = 0; step < 20; step++) {
		OK(drxmp_extend(a, 1, procs, DRX_HIGH, 2, lo, hi));
		lo[1] += rank, hi[1] = lo[1] + 1;
		for (int k = 0; k < 4; k++)
			column[k] = 1000 * step + 10 * rank + k;
		OK(drxmp_start_write_all(a, 2, lo, hi, NULL, DRX_INT32, column, sizeof column, NULL, &w));
		back = malloc((size_t)hi[1] * 16);
		lo[1] = 0;
		OK(drxmp_start_read_all(a, 2, lo, hi, NULL, DRX_INT32, back, hi[1] * 16, NULL, &r));
		OK(drxmp_wait(r));
		OK(drxmp_wait(w));
		for (int64_t c = 0; c < hi[1]; c++)
			TRUE(back[hi[1] + c] == 1000 * (c / procs) + 10 * (c % procs) + 1);
		free(back);
	}
	OK(drxmp_close(a));
	return NULL;
}

/* fault: process 0 gives an address where nothing is. The program goes on in all processes. */
static void fault(void)
{
	int64_t shape[] = {4}, zone[1];
	int32_t x[4] = {1, 2, 3, 4};
	drxmp_array a;

	OK(drxmp_create(MPI_COMM_WORLD, "fault", DRX_INT32, 1, shape, "{\"chunk\": [1]}", &a));
	OK(drxmp_zone(a, DRXMP_ME, 1, zone));
	FAILS(me == 0 ? DRX_EINTERNAL : DRXMP_EFAILED, drxmp_write_zone_all(a, DRX_INT32, me == 0 ? (void *)64 : x, 4 * zone[0]));
	SAYS("a fault of this library");
	FAILS(me == 0 ? DRX_EINTERNAL : DRXMP_EFAILED, drxmp_sync(a));
	FAILS(me == 0 ? DRX_EINTERNAL : DRXMP_EFAILED, drxmp_close(a));
	OK(drxmp_open(MPI_COMM_WORLD, "fault", DRX_WRITE, NULL, &a));
	OK(drxmp_write_zone_all(a, DRX_INT32, x, 4 * zone[0]));
	OK(drxmp_close(a));
}

int main(int argc, char **argv)
{
	int level, numbers[] = {0, 1};
	pthread_t threads[2];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	TRUE(level == MPI_THREAD_MULTIPLE);
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	fault();
	for (int i = 0; i < 2; i++)
		MPI_Comm_free(&comms[i]);
	return finish();
}
