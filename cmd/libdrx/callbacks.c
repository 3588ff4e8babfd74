/* callbacks.c - calls functions of the host for Go. */
#include "internal.h"

int drxc_progress(drx_progress f, void *user, int64_t done, int64_t total)
{
	return f(user, done, total);
}

int drxc_change(drx_change_fn f, void *user, const char *change)
{
	return f(user, change);
}

int drxc_part(drx_part_fn f, void *user, int rank, const int64_t *lo, const int64_t *hi, int64_t number)
{
	return f(user, rank, lo, hi, number);
}
