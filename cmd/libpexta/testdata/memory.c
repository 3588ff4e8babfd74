/* memory.c - the memory of a process beside its elements of a global array: memory FILE. It prints the peak over what the process had before
 * PEXTA_Init, in MiB, after writing, reading, and both with a section that fits no chunk, as it is and transposed. */
#include "check.h"

enum { N = 4096, MIB = 1 << 20, MAX_MEMORY = 16 * MIB };

/* status returns a number of /proc/self/status, in bytes: the most memory that this process has had is VmHWM. */
static long status(const char *name)
{
	char line[256], format[64];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");

	snprintf(format, sizeof format, "%s: %%ld kB", name);
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, format, &kib) == 1)
			break;
	fclose(f);
	return kib << 10;
}

int main(int argc, char **argv)
{
	int p, r, dims[] = {N, N}, chunk[] = {-1, -1}, g, glo[] = {0, 0}, ghi[] = {N - 2, N - 2};
	pexta_size_t extents[] = {N, N}, request[] = {1024, 1024}, lo[] = {1, 1}, hi[] = {N - 1, N - 1};
	double value = 1, most;

	start(&argc, &argv);
	g = NGA_Create(C_DBL, 2, dims, "g", chunk);
	GA_Fill(g, &value); /* now its memory is there */
	long before = status("VmHWM"), shared = status("RssShmem");
	CHECK(argc == 2 && PEXTA_Init(1, -1, -1, MAX_MEMORY) == 0);
	CHECK(PEXTA_Create(C_DBL, 2, extents, "g", argv[1], PEXTA_RW, request, g, &p) == 0);
	CHECK(PEXTA_Write(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	CHECK(PEXTA_Read(g, p, &r) == 0 && PEXTA_Wait(r) == 0);
	for (int transposed = 0; transposed < 2; transposed++) {
		CHECK(PEXTA_Write_section(transposed, g, glo, ghi, p, lo, hi, &r) == 0 && PEXTA_Wait(r) == 0);
		CHECK(PEXTA_Read_section(transposed, g, glo, ghi, p, lo, hi, &r) == 0 && PEXTA_Wait(r) == 0);
	}
	shared = status("RssShmem") - shared; /* elements of the global array that other processes have */
	most = status("VmHWM") - before - shared;
	CHECK(most <= MAX_MEMORY + 64 * MIB);
	GA_Dgop(&most, 1, "max");
	if (GA_Nodeid() == 0)
		printf("%.0f MiB beside the global array, with max_memory of %d MiB; %ld MiB of other processes' elements\n", most / MIB,
		       MAX_MEMORY / MIB, shared / MIB);
	CHECK(PEXTA_Delete(p) == 0 && PEXTA_Terminate() == 0);
	return end();
}
