/* memory.c - the memory of a process beside its elements of a global array: memory FILE ARRAYS
 * EXTENT. So many square disk arrays are open at the same time, FILE0 and so on. It prints the peak
 * over what the process had before PEXTA_Init, in MiB, after writing, reading, and both with a
 * section that fits no chunk, as it is and transposed, in each array. Its own memory is bounded
 * however many arrays there are. At most 8 MiB of the file of each array come on top that are
 * mapped: they belong to the page cache. */
#include "check.h"

enum { MIB = 1 << 20, MAX_MEMORY = 16 * MIB, MAPPED = 8 * MIB, MOST_ARRAYS = 64 };

/* status returns a number of /proc/self/status, in bytes: the most memory that this process has had
 * is VmHWM. */
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

static long own; /* the most memory of its own that this process had after a request */

static void wait_for(int request)
{
	long now;

	CHECK(PEXTA_Wait(request) == 0);
	now = status("RssAnon");
	own = now > own ? now : own;
}

/* use moves elements between the global array and a disk array in all ways. */
static void use(int g, int p, int n)
{
	int r, glo[] = {0, 0}, ghi[] = {n - 2, n - 2};
	pexta_size_t lo[] = {1, 1}, hi[] = {n - 1, n - 1};

	CHECK(PEXTA_Write(g, p, &r) == 0);
	wait_for(r);
	CHECK(PEXTA_Read(g, p, &r) == 0);
	wait_for(r);
	for (int transposed = 0; transposed < 2; transposed++) {
		CHECK(PEXTA_Write_section(transposed, g, glo, ghi, p, lo, hi, &r) == 0);
		wait_for(r);
		CHECK(PEXTA_Read_section(transposed, g, glo, ghi, p, lo, hi, &r) == 0);
		wait_for(r);
	}
}

int main(int argc, char **argv)
{
	if (argc != 4 || atoi(argv[2]) > MOST_ARRAYS)
		return 2;
	int arrays = atoi(argv[2]), n = atoi(argv[3]), p[MOST_ARRAYS], dims[] = {n, n}, chunk[] = {-1, -1}, g;
	pexta_size_t extents[] = {n, n}, request[] = {1024, 1024};
	double value = 1, most, mine;
	char file[4096];

	start(&argc, &argv);
	g = NGA_Create(C_DBL, 2, dims, "g", chunk);
	GA_Fill(g, &value); /* now its memory is there */
	long before = status("VmHWM"), own_before = status("RssAnon"), shared = status("RssShmem");
	CHECK(PEXTA_Init(arrays, -1, -1, MAX_MEMORY) == 0);
	for (int i = 0; i < arrays; i++) {
		snprintf(file, sizeof file, "%s%d", argv[1], i);
		CHECK(PEXTA_Create(C_DBL, 2, extents, "g", file, PEXTA_RW, request, g, &p[i]) == 0);
		use(g, p[i], n);
	}
	for (int i = 0; i < arrays; i++) /* while all of them are open */
		use(g, p[i], n);
	shared = status("RssShmem") - shared; /* elements of the global array that other processes have */
	most = status("VmHWM") - before - shared;
	mine = own - own_before;
	CHECK(most <= MAX_MEMORY + 64 * MIB + (double)(arrays - 1) * MAPPED);
	CHECK(mine <= MAX_MEMORY + 64 * MIB);
	GA_Dgop(&most, 1, "max");
	GA_Dgop(&mine, 1, "max");
	if (GA_Nodeid() == 0)
		printf("%.0f MiB beside the global array, %.0f of them own memory, with max_memory of %d MiB and %d open arrays; %ld MiB of other"
		       " processes' elements\n",
		       most / MIB, mine / MIB, MAX_MEMORY / MIB, arrays, shared / MIB);
	for (int i = 0; i < arrays; i++)
		CHECK(PEXTA_Delete(p[i]) == 0);
	CHECK(PEXTA_Terminate() == 0);
	return end();
}
