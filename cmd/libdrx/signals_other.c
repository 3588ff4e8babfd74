//go:build !linux

/* signals_other.c - where signals are not tested: the Go runtime's own handling stays as it is. */
#include "internal.h"

void drxc_install_signals(void)
{
}

void drxc_use_alternate_stacks(void)
{
}

int drx_signals(void)
{
	return DRX_OK;
}
