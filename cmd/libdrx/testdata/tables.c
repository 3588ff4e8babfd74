/* tables.c - prints the numbers of drx.h as the library knows them, for the test to compare. */
#include <stdio.h>

#include <drx.h>

int main(void)
{
	for (int t = -1; t < 300; t++)
		if (drx_dtype_name(t))
			printf("type %d %s %zu %d\n", t, drx_dtype_name(t), drx_dtype_size(t), drx_dtype_parse(drx_dtype_name(t)));
	for (int c = 0; c < 100; c++)
		printf("code %d %s\n", c, drx_code_name(c));
	printf("version %s\n", drx_version());
	return 0;
}
