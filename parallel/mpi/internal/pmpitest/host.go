//go:build mpi && cgo

package pmpitest

// #include <mpi.h>
// #include "pmpi.h"
//
// static int host_init(int multiple, int *given) {
// 	return PMPI_Init_thread(NULL, NULL, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, given);
// }
// static int host_part(int color, int *handle) {
// 	MPI_Comm part;
// 	int rank, err;
// 	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
// 	err = PMPI_Comm_split(MPI_COMM_WORLD, color < 0 ? MPI_UNDEFINED : color, rank, &part);
// 	*handle = MPI_Comm_c2f(part);
// 	return err;
// }
// static int host_free(int handle) {
// 	MPI_Comm c = MPI_Comm_f2c(handle);
// 	return PMPI_Comm_free(&c);
// }
// static int host_rank(void) {
// 	int rank = -1;
// 	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
// 	return rank;
// }
// static int host_world(void) { return MPI_Comm_c2f(MPI_COMM_WORLD); }
// static int host_null(void) { return MPI_Comm_c2f(MPI_COMM_NULL); }
// static int host_finalize(void) { return PMPI_Finalize(); }
import "C"

import "fmt"

// Init starts MPI as a program does that uses the library, with MPI_THREAD_SINGLE or
// MPI_THREAD_MULTIPLE, and begins to count. The goroutine must be locked to its thread.
func Init(multiple bool) error {
	want, given := C.int(0), C.int(0)
	if multiple {
		want = 1
	}
	err := check("MPI_Init_thread", C.host_init(want, &given))
	C.pmpi_begin()
	return err
}

// Finalize ends MPI.
func Finalize() error { return check("MPI_Finalize", C.host_finalize()) }

// Rank returns the rank in MPI_COMM_WORLD.
func Rank() int { return int(C.host_rank()) }

// World returns the handle of MPI_COMM_WORLD in Fortran.
func World() int32 { return int32(C.host_world()) }

// Null returns the handle of MPI_COMM_NULL in Fortran.
func Null() int32 { return int32(C.host_null()) }

// Part makes a communicator of the processes with the same color, as MPI_Comm_split does; none for
// a negative color.
func Part(color int) (int32, error) {
	h := C.int(0)
	err := check("MPI_Comm_split", C.host_part(C.int(color), &h))
	return int32(h), err
}

// Free frees a communicator that Part has made.
func Free(handle int32) error { return check("MPI_Comm_free", C.host_free(C.int(handle))) }

// Check returns an error unless some calls were counted and all of them were made on the thread of
// Init, none with MPI_COMM_WORLD.
func Check() error {
	calls, foreign, world := C.pmpi_calls(), C.pmpi_foreign(), C.pmpi_world()
	if calls == 0 || foreign > 0 || world > 0 {
		return fmt.Errorf("%d calls of MPI, %d on another thread, %d with MPI_COMM_WORLD, of these the first was MPI_%s", calls, foreign, world, C.GoString(C.pmpi_first()))
	}
	return nil
}

func check(what string, code C.int) error {
	if code != 0 {
		return fmt.Errorf("%s: MPI error %d", what, int(code))
	}
	return nil
}
