//go:build ga && mpi && cgo

/* fortran.c - the names of DRA and of PEXTA in Fortran. Integers and logicals have 8 bytes, as in
 * Global Arrays; indices and the numbers of dimensions count from 1; the first dimension varies
 * fastest, so all lists are reversed for C; lengths of texts come last. DRA's names with dra_ are
 * for two dimensions, with ndra_ for any number. */
#include <string.h>

#include "_cgo_export.h"
#include <pexta.h>

static Integer to_fortran_type(int type)
{
	switch (type) {
	case C_LONG: return F_INT;
	case C_FLOAT: return F_REAL;
	case C_DBL: return F_DBL;
	case C_SCPL: return F_SCPL;
	case C_DCPL: return F_DCPL;
	default: return type;
	}
}

/* to_c_text copies a text without the blanks at its end. A longer one than room is cut, so that it
 * is refused later. */
static void to_c_text(char *to, size_t room, const char *from, int length)
{
	while (length > 0 && from[length - 1] == ' ')
		length--;
	if ((size_t)length >= room)
		length = (int)room - 1;
	memcpy(to, from, length);
	to[length] = 0;
}

/* to_fortran_text fills a text with blanks. */
static void to_fortran_text(char *to, int length, const char *from)
{
	size_t n = strlen(from);

	if (n > (size_t)length)
		n = length;
	memcpy(to, from, n);
	memset(to + n, ' ', length - n);
}

/* A text has room for one that is too long, which NDRA_Create refuses. */
typedef char name_text[2 * MAX_NAME];
typedef char file_text[2 * MAX_FILE];

/* known limits a number of dimensions, so that a wrong one reads nothing; it is refused later. */
static int known(Integer ndim) { return ndim >= 1 && ndim <= MAX_RANK ? (int)ndim : 0; }

/* reversed_longs reverses extents, and reversed_ends ends of a section, which count from 1. */
static void reversed_longs(int n, const Integer *from, long to[])
{
	for (int d = 0; d < n; d++)
		to[d] = from[n - 1 - d];
}

static void reversed_ends(int n, const Integer *from, long to[])
{
	for (int d = 0; d < n; d++)
		to[d] = from[n - 1 - d] - 1;
}

static Integer init(char *name, Integer max_arrays, double max_memory) { return IN_GO(pextago_init(name, (int)max_arrays, max_memory)); }

static Integer create(char *name, Integer type, Integer ndim, const Integer *dims, char *title, char *file, Integer mode, const Integer *reqdims,
		      Integer g_a, Integer *d_a, int title_length, int file_length)
{
	long shape[MAX_RANK], request[MAX_RANK];
	name_text c_title;
	file_text c_file;
	int handle = 0, code;

	to_c_text(c_title, sizeof c_title, title, title_length);
	to_c_text(c_file, sizeof c_file, file, file_length);
	reversed_longs(known(ndim), dims, shape);
	reversed_longs(known(ndim), reqdims, request);
	code = IN_GO(pextago_create(name, (int)type, (int)ndim, shape, c_title, c_file, (int)mode, request, g_a != -1, (int)g_a, &handle));
	*d_a = handle;
	return code;
}

static Integer open_file(char *name, char *file, Integer mode, Integer *d_a, int length)
{
	file_text c_file;
	int handle = 0, code;

	to_c_text(c_file, sizeof c_file, file, length);
	code = IN_GO(pextago_open(name, c_file, (int)mode, &handle));
	*d_a = handle;
	return code;
}

/* rank returns the number of dimensions of an array, 0 if there is none with the handle: the call
 * then fails by itself. */
static int rank(Integer d_a)
{
	return IN_GO(pextago_rank((int)d_a));
}

/* forget sets the handle of an array that is closed to 0. One that an error has left open keeps
 * it. */
static void forget(Integer *d_a)
{
	if (rank(*d_a) == 0)
		*d_a = 0;
}

static Integer close_file(char *name, Integer *d_a)
{
	int code = IN_GO(pextago_close(name, (int)*d_a));

	forget(d_a);
	return code;
}

static Integer delete_file(char *name, Integer *d_a)
{
	int code = IN_GO(pextago_delete(name, (int)*d_a));

	forget(d_a);
	return code;
}

static Integer inquire(char *name, int refresh, Integer d_a, Integer *type, Integer *ndim, Integer *dims, char *title, char *file, int title_length,
		       int file_length)
{
	long shape[MAX_RANK];
	char c_title[MAX_NAME], c_file[MAX_FILE];
	int c_type, n, code = IN_GO(pextago_inquire(name, refresh, (int)d_a, &c_type, &n, shape, c_title, c_file));

	if (code != 0)
		return code;
	*type = to_fortran_type(c_type);
	*ndim = n;
	for (int d = 0; d < n; d++)
		dims[d] = shape[n - 1 - d];
	to_fortran_text(title, title_length, c_title);
	to_fortran_text(file, file_length, c_file);
	return 0;
}

static Integer move(char *name, int write, Integer g_a, Integer d_a, Integer *request)
{
	int number, code = IN_GO(pextago_move(name, write, 0, 0, (int)g_a, NULL, NULL, (int)d_a, NULL, NULL, &number));

	*request = number;
	return code;
}

static Integer move_section(char *name, int write, logical transp, Integer g_a, const Integer *glo, const Integer *ghi, Integer d_a,
			    const Integer *dlo, const Integer *dhi, Integer *request)
{
	int number, code, n = rank(d_a), g = pextac_global_rank((int)g_a);
	long from[MAX_RANK], to[MAX_RANK], dfrom[MAX_RANK], dto[MAX_RANK];

	reversed_ends(g, glo, from);
	reversed_ends(g, ghi, to);
	reversed_ends(n, dlo, dfrom);
	reversed_ends(n, dhi, dto);
	code = IN_GO(pextago_move(name, write, 1, transp != 0, (int)g_a, from, to, (int)d_a, dfrom, dto, &number));
	*request = number;
	return code;
}

/* move_section_2d is for the names of two dimensions: an array with more would need more ends. */
static Integer move_section_2d(char *name, int write, logical transp, Integer g_a, const Integer *glo, const Integer *ghi, Integer d_a,
			       const Integer *dlo, const Integer *dhi, Integer *request)
{
	int g = GA_Valid_handle((int)g_a) ? GA_Ndim((int)g_a) : 2, d = rank(d_a);

	if (g > 2 || d > 2) {
		*request = DRA_REQ_INVALID;
		return IN_GO(pextago_not_2d(name, g, d, (int)d_a));
	}
	return move_section(name, write, transp, g_a, glo, ghi, d_a, dlo, dhi, request);
}

static Integer probe(char *name, Integer request, Integer *status)
{
	int done, code = IN_GO(pextago_probe(name, (int)request, &done));

	*status = done;
	return code;
}

/* DRA, for any number of dimensions and for two. */

Integer dra_init_(Integer *max_arrays, DoublePrecision *max_array_size, DoublePrecision *total_disk_space, DoublePrecision *max_memory)
{
	(void)max_array_size, (void)total_disk_space;
	return init("dra_init", *max_arrays, *max_memory);
}

Integer dra_terminate_(void) { return IN_GO(pextago_terminate("dra_terminate")); }

Integer dra_open_(char *file, Integer *mode, Integer *d_a, int length) { return open_file("dra_open", file, *mode, d_a, length); }

Integer dra_close_(Integer *d_a) { return close_file("dra_close", d_a); }

Integer dra_delete_(Integer *d_a) { return delete_file("dra_delete", d_a); }

Integer dra_write_(Integer *g_a, Integer *d_a, Integer *request) { return move("dra_write", 1, *g_a, *d_a, request); }

Integer dra_read_(Integer *g_a, Integer *d_a, Integer *request) { return move("dra_read", 0, *g_a, *d_a, request); }

Integer dra_probe_(Integer *request, Integer *status) { return probe("dra_probe", *request, status); }

Integer dra_wait_(Integer *request) { return IN_GO(pextago_wait("dra_wait", (int)*request)); }

void dra_flick_(void) { DRA_Flick(); }

Integer dra_set_debug_(logical *flag)
{
	DRA_Set_debug(*flag);
	return 0;
}

void dra_print_internals_(Integer *d_a) { DRA_Print_internals((int)*d_a); }

void dra_set_default_config_(Integer *numfiles, Integer *numioprocs) { (void)numfiles, (void)numioprocs; }

/* It sets how DRA calls the file system of some machines. */
void dra_set_mode_(Integer *mode) { (void)mode; }

Integer ndra_create_(Integer *type, Integer *ndim, Integer *dims, char *name, char *file, Integer *mode, Integer *reqdims, Integer *d_a,
		     int name_length, int file_length)
{
	return create("ndra_create", *type, *ndim, dims, name, file, *mode, reqdims, -1, d_a, name_length, file_length);
}

Integer ndra_inquire_(Integer *d_a, Integer *type, Integer *ndim, Integer *dims, char *name, char *file, int name_length, int file_length)
{
	return inquire("ndra_inquire", 0, *d_a, type, ndim, dims, name, file, name_length, file_length);
}

Integer ndra_write_section_(logical *transp, Integer *g_a, Integer *glo, Integer *ghi, Integer *d_a, Integer *dlo, Integer *dhi, Integer *request)
{
	return move_section("ndra_write_section", 1, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer ndra_read_section_(logical *transp, Integer *g_a, Integer *glo, Integer *ghi, Integer *d_a, Integer *dlo, Integer *dhi, Integer *request)
{
	return move_section("ndra_read_section", 0, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer ndra_create_config_(Integer *type, Integer *ndim, Integer *dims, char *name, char *file, Integer *mode, Integer *reqdims,
			    Integer *numfiles, Integer *numioprocs, Integer *d_a, int name_length, int file_length)
{
	(void)numfiles, (void)numioprocs;
	return create("ndra_create_config", *type, *ndim, dims, name, file, *mode, reqdims, -1, d_a, name_length, file_length);
}

Integer ndra_write_(Integer *g_a, Integer *d_a, Integer *request) { return move("ndra_write", 1, *g_a, *d_a, request); }

Integer ndra_read_(Integer *g_a, Integer *d_a, Integer *request) { return move("ndra_read", 0, *g_a, *d_a, request); }

Integer dra_create_(Integer *type, Integer *dim1, Integer *dim2, char *name, char *file, Integer *mode, Integer *reqdim1, Integer *reqdim2,
		    Integer *d_a, int name_length, int file_length)
{
	Integer dims[] = {*dim1, *dim2}, reqdims[] = {*reqdim1, *reqdim2};

	return create("dra_create", *type, 2, dims, name, file, *mode, reqdims, -1, d_a, name_length, file_length);
}

Integer dra_inquire_(Integer *d_a, Integer *type, Integer *dim1, Integer *dim2, char *name, char *file, int name_length, int file_length)
{
	Integer dims[MAX_RANK] = {1, 1}, ndim, code;
	int n = rank(*d_a);

	if (n > 2)
		return IN_GO(pextago_not_2d("dra_inquire", 0, n, (int)*d_a));
	code = inquire("dra_inquire", 0, *d_a, type, &ndim, dims, name, file, name_length, file_length);
	if (code == 0)
		*dim1 = dims[0], *dim2 = dims[1];
	return code;
}

Integer dra_write_section_(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi, Integer *d_a, Integer *dilo,
			    Integer *dihi, Integer *djlo, Integer *djhi, Integer *request)
{
	Integer glo[] = {*gilo, *gjlo}, ghi[] = {*gihi, *gjhi}, dlo[] = {*dilo, *djlo}, dhi[] = {*dihi, *djhi};

	return move_section_2d("dra_write_section", 1, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer dra_read_section_(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi, Integer *d_a, Integer *dilo,
			   Integer *dihi, Integer *djlo, Integer *djhi, Integer *request)
{
	Integer glo[] = {*gilo, *gjlo}, ghi[] = {*gihi, *gjhi}, dlo[] = {*dilo, *djlo}, dhi[] = {*dihi, *djhi};

	return move_section_2d("dra_read_section", 0, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

/* PEXTA, for any number of dimensions. */

Integer pexta_init_(Integer *max_arrays, DoublePrecision *max_array_size, DoublePrecision *total_disk_space, DoublePrecision *max_memory)
{
	(void)max_array_size, (void)total_disk_space;
	return init("pexta_init", *max_arrays, *max_memory);
}

Integer pexta_terminate_(void) { return IN_GO(pextago_terminate("pexta_terminate")); }

Integer pexta_open_(char *file, Integer *mode, Integer *p_a, int length) { return open_file("pexta_open", file, *mode, p_a, length); }

Integer pexta_close_(Integer *p_a) { return close_file("pexta_close", p_a); }

Integer pexta_delete_(Integer *p_a) { return delete_file("pexta_delete", p_a); }

Integer pexta_write_(Integer *g_a, Integer *p_a, Integer *request) { return move("pexta_write", 1, *g_a, *p_a, request); }

Integer pexta_read_(Integer *g_a, Integer *p_a, Integer *request) { return move("pexta_read", 0, *g_a, *p_a, request); }

Integer pexta_probe_(Integer *request, Integer *status) { return probe("pexta_probe", *request, status); }

Integer pexta_wait_(Integer *request) { return IN_GO(pextago_wait("pexta_wait", (int)*request)); }

void pexta_flick_(void) { PEXTA_Flick(); }

Integer pexta_set_debug_(logical *flag)
{
	PEXTA_Set_debug(*flag);
	return 0;
}

void pexta_print_internals_(Integer *p_a) { PEXTA_Print_internals((int)*p_a); }

void pexta_set_default_config_(Integer *numfiles, Integer *numioprocs) { (void)numfiles, (void)numioprocs; }

Integer pexta_create_(Integer *type, Integer *ndim, Integer *dims, char *name, char *file, Integer *mode, Integer *reqdims, Integer *g_a, Integer *p_a,
		     int name_length, int file_length)
{
	return create("pexta_create", *type, *ndim, dims, name, file, *mode, reqdims, *g_a, p_a, name_length, file_length);
}

Integer pexta_inquire_(Integer *p_a, Integer *type, Integer *ndim, Integer *dims, char *name, char *file, int name_length, int file_length)
{
	return inquire("pexta_inquire", 1, *p_a, type, ndim, dims, name, file, name_length, file_length);
}

Integer pexta_write_section_(logical *transp, Integer *g_a, Integer *glo, Integer *ghi, Integer *p_a, Integer *dlo, Integer *dhi, Integer *request)
{
	return move_section("pexta_write_section", 1, *transp, *g_a, glo, ghi, *p_a, dlo, dhi, request);
}

Integer pexta_read_section_(logical *transp, Integer *g_a, Integer *glo, Integer *ghi, Integer *p_a, Integer *dlo, Integer *dhi, Integer *request)
{
	return move_section("pexta_read_section", 0, *transp, *g_a, glo, ghi, *p_a, dlo, dhi, request);
}

Integer pexta_iread_(Integer *g_a, Integer *p_a, Integer *request)
{
	int number, code = IN_GO(pextago_iread("pexta_iread", (int)*g_a, (int)*p_a, &number));

	*request = number;
	return code;
}

/* The entries of odims count from 1; one of 0 or less is none. */
Integer pexta_extend_(Integer *p_a, Integer *edims, Integer *odims, Integer *request)
{
	long increments[MAX_RANK], order[MAX_RANK];
	int n = rank(*p_a), number, code;

	reversed_longs(n, edims, increments);
	for (int i = 0; i < n; i++)
		order[i] = odims[i] < 1 ? -1 : n - odims[i];
	code = IN_GO(pextago_extend("pexta_extend", (int)*p_a, increments, order, &number));
	*request = number;
	return code;
}
