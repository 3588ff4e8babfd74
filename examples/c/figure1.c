/* figure1.c - figure 1 of Otoo and Rotem (2007): 20 chunks, grown both ways, on 2 x 2 processes.
 *
 *     cc figure1.c $(pkg-config --cflags --libs drxmp) -lmpi && mpirun -n 4 ./a.out
 */
#include <drxmp.h>
#include <stdio.h>
#include <string.h>

/* check ends the job with the message of the library if a call has failed. */
static void check(int code)
{
	if (code) {
		fprintf(stderr, "%s: %s\n", drx_code_name(code), drx_error());
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

int main(int argc, char **argv)
{
	const int order[] = {1, 0, 0, 1, 0, 1, 0}, chunk[] = {2, 3};
	const size_t start[] = {2, 3};
	int64_t lo[2], hi[2], chunks, n, file[20], memory[20];
	int proc, boxes, *values;
	DRXMDHdl a;
	DRXMDMemHdl zone;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &proc);
	check(DRXMP_Init(&a, 2, start, chunk, DRX_INT32, MPI_COMM_WORLD));
	check(DRXMP_Create(&a, "figure1"));
	for (int i = 0; i < 7; i++) /* by one row or column of chunks each time */
		check(DRXMP_Extend(a, order[i], chunk[order[i]]));
	check(drxmp_redistribute(a, "{\"grid\": [2, 2]}"));
	check(DRXMP_Mem_init(&zone, a, 2, NULL, NULL, NULL));
	check(DRXMP_Mem_base(zone, (void **)&values));
	check(DRXMP_Mem_size(zone, &n));
	for (int64_t i = 0; i < n; i++)
		values[i] = 1000 * proc + (int)i;
	check(DRXMP_Write_all(a, zone, NULL));
	check(DRXMP_Sync(a));
	memset(values, 0, (size_t)n * sizeof *values);
	check(DRXMP_Read_all(a, zone, NULL)); /* everything comes back from the file */
	check(drxmp_zone_chunks(a, DRXMP_ME, &chunks, NULL, NULL));
	check(drxmp_zone_chunks(a, DRXMP_ME, &chunks, file, memory));
	check(drxmp_boxes(a, DRXMP_ME, &boxes));
	check(boxes ? drxmp_box(a, DRXMP_ME, 0, 2, lo, hi) : 0);
	for (int p = 0; p < 4; p++, MPI_Barrier(MPI_COMM_WORLD)) {
		if (p != proc || !boxes)
			continue;
		printf("process %d: rows %ld to %ld, columns %ld to %ld, first %d, chunks", p, (long)lo[0], (long)hi[0], (long)lo[1], (long)hi[1], values[0]);
		for (int64_t i = 0; i < chunks; i++)
			printf(" %ld", (long)file[i]);
		printf("\n");
		fflush(stdout);
	}
	check(DRXMP_Mem_free(zone));
	check(DRXMP_Terminate());
	return MPI_Finalize();
}
