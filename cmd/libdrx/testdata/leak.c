/* leak.c - leaves a string of the library: the address sanitizer must say so, or its silence proves
 * nothing. */
#include "check.h"

int main(void)
{
	drx_array a;
	char *text;
	int64_t shape[] = {1};

	OK(drx_create("a", DRX_INT32, 1, shape, NULL, &a));
	OK(drx_name(a, &text));
	text = NULL;
	OK(drx_close(a));
	return 0;
}
