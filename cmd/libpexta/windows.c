//go:build ga && mpi && cgo

/* windows.c - requests read to the memory of global arrays in the background. Under Open MPI this
 * memory is that of MPI's windows, which GA_Destroy frees. So the library stands before
 * MPI_Win_free, as tools that use MPI's profiling interface do, and ends the use of the memory
 * first. The name is weak: where a tool has it as well, the program must not destroy a global array
 * before its requests are done. */
#include "_cgo_export.h"

/* Without a call of pextac_watch_windows the linker would leave this file out. */
static int watching;

void pextac_watch_windows(int on) { watching = on; }

__attribute__((weak)) int MPI_Win_free(MPI_Win *win)
{
	void *base;
	MPI_Aint *bytes;
	int known, measured;

	if (watching && win != NULL && *win != MPI_WIN_NULL && MPI_Win_get_attr(*win, MPI_WIN_BASE, &base, &known) == MPI_SUCCESS && known &&
	    MPI_Win_get_attr(*win, MPI_WIN_SIZE, &bytes, &measured) == MPI_SUCCESS && measured && *bytes > 0)
		IN_GO((pextago_withdraw(base, *bytes), 0));
	return PMPI_Win_free(win);
}
