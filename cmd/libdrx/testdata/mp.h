/* mp.h - what the programs that test libdrxmp have in common. They print what failed, and "good"
 * from process 0 at the end. */
#include <drxmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me = -1, failures;

/* expect checks the code of a call, on every process by itself. */
static void expect(int want, int got, const char *call, int line)
{
	if (got == want)
		return;
	failures++;
	printf("process %d, line %d: %s returns %s, want %s; the last error is: %s\n", me, line, call, drx_code_name(got), drx_code_name(want), drx_error());
	fflush(stdout);
}

#define OK(call) expect(DRX_OK, call, #call, __LINE__)
#define FAILS(code, call) expect(code, call, #call, __LINE__)
#define TRUE(condition) expect(1, !!(condition), #condition, __LINE__)

/* says checks that the last error has a text in it. */
static inline void says(const char *text, int line)
{
	if (strstr(drx_error(), text))
		return;
	failures++;
	printf("process %d, line %d: the error is %s, want %s in it\n", me, line, drx_error(), text);
}

#define SAYS(text) says(text, __LINE__)

/* finish ends MPI and tells the result. */
static int finish(void)
{
	int all = 0;

	MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (me == 0 && all == 0)
		printf("good\n");
	fflush(stdout);
	MPI_Finalize();
	return all > 0;
}
