/* PnetCDF: a variable of fixed size in the format CDF-5, without fill values, its data aligned to
 * pages.
 *
 *     xfer=collective    ncmpi_put_vara_double_all, ncmpi_get_vara_double_all
 *     xfer=independent   the same between ncmpi_begin_indep_data and ncmpi_end_indep_data
 *
 * The format is big-endian, so the bytes of every element are swapped. */
#include "job.h"

#include <pnetcdf.h>

const bool store_extends = false;

static int file, variable;

static void must(int code, const char *what) {
	if (code != NC_NOERR) die("pnetcdf: %s: %s", what, ncmpi_strerror(code));
}

static void independent(void) {
	if (option("xfer", "independent")) must(ncmpi_begin_indep_data(file), "begin");
}

void store_create(const char *path, bool grows) {
	int dims[2];
	MPI_Info info;
	(void)grows;
	MPI_Info_create(&info);
	MPI_Info_set(info, "nc_var_align_size", "4096");
	must(ncmpi_create(group, path, NC_CLOBBER | NC_64BIT_DATA, info, &file), "create");
	MPI_Info_free(&info);
	must(ncmpi_def_dim(file, "rows", shape[0], &dims[0]), "dimension");
	must(ncmpi_def_dim(file, "columns", shape[1], &dims[1]), "dimension");
	must(ncmpi_def_var(file, "a", NC_DOUBLE, 2, dims, &variable), "variable");
	must(ncmpi_enddef(file), "enddef");
	independent();
}

void store_open(const char *path, bool write) {
	must(ncmpi_open(group, path, write ? NC_WRITE : NC_NOWRITE, MPI_INFO_NULL, &file), "open");
	must(ncmpi_inq_varid(file, "a", &variable), "variable");
	independent();
}

void store_close(void) {
	if (option("xfer", "independent")) must(ncmpi_end_indep_data(file), "end");
	must(ncmpi_close(file), "close");
}

static void bounds(const part *p, MPI_Offset *lo, MPI_Offset *size) {
	for (int d = 0; d < 2; d++) lo[d] = p->mine.lo[d], size[d] = p->mine.size[d];
}

void store_write(const part *p) {
	MPI_Offset lo[2], size[2];
	bounds(p, lo, size);
	if (option("xfer", "collective")) must(ncmpi_put_vara_double_all(file, variable, lo, size, p->data), "write");
	else must(ncmpi_put_vara_double(file, variable, lo, size, p->data), "write");
}

void store_read(part *p) {
	MPI_Offset lo[2], size[2];
	bounds(p, lo, size);
	if (option("xfer", "collective")) must(ncmpi_get_vara_double_all(file, variable, lo, size, p->data), "read");
	else must(ncmpi_get_vara_double(file, variable, lo, size, p->data), "read");
}
