//go:build mpi && cgo

#include "bridge_type.h"

#include <stdlib.h>
#include <string.h>

int bridge_info(MPI_Info *info) { return MPI_Info_create(info); }

// Errors of MPI_Info_set end the job unless MPI_COMM_WORLD was told otherwise.
int bridge_info_set(MPI_Info info, char *key, char *value) {
	size_t k = strlen(key), v = strlen(value);
	if (k == 0 || k >= MPI_MAX_INFO_KEY)
		return MPI_ERR_INFO_KEY;
	return v == 0 || v >= MPI_MAX_INFO_VAL ? MPI_ERR_INFO_VALUE : MPI_Info_set(info, key, value);
}

int bridge_info_free(MPI_Info *info) { return MPI_Info_free(info); }

int bridge_open(MPI_Comm c, int alone, char *name, int writable, MPI_Info info, MPI_File *f) {
	return MPI_File_open(alone ? MPI_COMM_SELF : c, name, writable ? MPI_MODE_RDWR : MPI_MODE_RDONLY, info, f);
}

int bridge_close(MPI_File *f) { return MPI_File_close(f); }

int bridge_file_size(MPI_File f, int64_t *n) {
	MPI_Offset size = 0;
	int err = MPI_File_get_size(f, &size);
	*n = size;
	return err;
}

int bridge_file_sync(MPI_File f) { return MPI_File_sync(f); }

// counted gives the bytes that an operation has moved.
static int counted(int err, MPI_Status *s, int64_t *moved) {
	MPI_Count n = 0;
	ok(err, MPI_Get_elements_x(s, MPI_BYTE, &n));
	*moved = n;
	return err;
}

int bridge_read_at(MPI_File f, int64_t off, void *buf, int n, int64_t *moved) {
	MPI_Status s;
	int err = MPI_File_read_at(f, off, buf, n, MPI_BYTE, &s);
	return counted(err, &s, moved);
}

int bridge_write_at(MPI_File f, int64_t off, void *buf, int n, int64_t *moved) {
	MPI_Status s;
	int err = MPI_File_write_at(f, off, buf, n, MPI_BYTE, &s);
	return counted(err, &s, moved);
}

// hindexed makes a committed type of n runs of bytes.
static int hindexed(int n, int *len, MPI_Aint *at, MPI_Datatype *t) {
	int err = MPI_Type_create_hindexed(n, len, at, MPI_BYTE, t);
	return ok(err, MPI_Type_commit(t));
}

// move reads or writes count elements of a memory type where the view has them. A proc without
// pieces takes part with none.
static int move(MPI_File f, int write, MPI_Datatype view, void *buf, int count, MPI_Datatype memory, int64_t *moved) {
	MPI_Status s;
	int err = MPI_File_set_view(f, 0, MPI_BYTE, view, "native", MPI_INFO_NULL);
	// Even if it has failed here, the others wait for this proc in the next call.
	int then = write ? MPI_File_write_at_all(f, 0, buf, count, memory, &s)
	                 : MPI_File_read_at_all(f, 0, buf, count, memory, &s);
	ok(err, then);
	return counted(err, &s, moved);
}

int bridge_pieces(MPI_File f, int write, int n, int64_t *off, uintptr_t *at, int *len, int64_t *moved) {
	MPI_Datatype view = MPI_BYTE, memory = MPI_BYTE;
	MPI_Aint *places;
	int i, err = MPI_SUCCESS, then;
	if (n == 0)
		return move(f, write, view, NULL, 0, memory, moved);
	if ((places = calloc((size_t)n, sizeof *places)) == NULL)
		err = MPI_ERR_NO_MEM;
	for (i = 0; err == MPI_SUCCESS && i < n; i++)
		places[i] = (MPI_Aint)off[i];
	ok(err, hindexed(n, len, places, &view));
	for (i = 0; err == MPI_SUCCESS && i < n; i++)
		places[i] = (MPI_Aint)(at[i] - at[0]);
	ok(err, hindexed(n, len, places, &memory));
	free(places);
	then = err == MPI_SUCCESS ? move(f, write, view, (void *)at[0], 1, memory, moved)
	                          : move(f, write, MPI_BYTE, NULL, 0, MPI_BYTE, moved);
	if (memory != MPI_BYTE)
		MPI_Type_free(&memory);
	if (view != MPI_BYTE)
		MPI_Type_free(&view);
	return ok(err, then);
}
