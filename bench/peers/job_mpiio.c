/* Raw MPI-IO: a row-major file without a header, each process with a file view of its subarray.
 *
 *     xfer=collective    MPI_File_write_all, MPI_File_read_all
 *     xfer=independent   MPI_File_write, MPI_File_read
 *
 * MPI chooses its hints itself. */
#include "job.h"

const bool store_extends = false;

static MPI_File file;

static void must(int code, const char *what) {
	char text[MPI_MAX_ERROR_STRING];
	int n;
	if (code == MPI_SUCCESS) return;
	MPI_Error_string(code, text, &n);
	die("mpi-io: %s: %s", what, text);
}

void store_create(const char *path, bool grows) {
	(void)grows;
	must(MPI_File_open(group, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), "create");
}

void store_open(const char *path, bool write) {
	must(MPI_File_open(group, path, write ? MPI_MODE_RDWR : MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "open");
}

void store_close(void) { must(MPI_File_close(&file), "close"); }

/* view sets the file view to this process's share. */
static int view(const part *p) {
	int extents[2], sizes[2], starts[2];
	MPI_Datatype type;
	for (int d = 0; d < 2; d++) extents[d] = shape[d], sizes[d] = p->mine.size[d], starts[d] = p->mine.lo[d];
	MPI_Type_create_subarray(2, extents, sizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	must(MPI_File_set_view(file, 0, MPI_DOUBLE, type, "native", MPI_INFO_NULL), "view");
	MPI_Type_free(&type);
	return volume(2, p->mine.size);
}

void store_write(const part *p) {
	int n = view(p);
	if (option("xfer", "collective")) must(MPI_File_write_all(file, p->data, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "write");
	else must(MPI_File_write(file, p->data, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "write");
}

void store_read(part *p) {
	int n = view(p);
	if (option("xfer", "collective")) must(MPI_File_read_all(file, p->data, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "read");
	else must(MPI_File_read(file, p->data, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "read");
}
