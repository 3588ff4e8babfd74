//go:build mpi && cgo

/* drxmp_paper.c - the functions of drxmp.h that the paper names, over the others. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#include "drxmp.h"

#include "_cgo_export.h"

/* No array has more dimensions. */
enum { MOST = 64, MAGIC = 0x44525831 };

/* A memory handle has a section, or the zone of this process, with the elements. magic tells it
 * from other memory. */
struct drxmp_mem {
	int magic, rank, zone, own;
	int dtype;
	int64_t lo[MOST], hi[MOST], elements, size;
	void *base;
};

int DRXMP_Init(DRXMDHdl *drxhdl, int kdim, const size_t *initsize, const int *chkshape, DRXType dtype, DRXComm comm)
{
	int64_t shape[MOST], chunk[MOST];
	int begun = 0, ended = 0;

	if (drxc_forked())
		return drxc_refuse_child(__func__);
	if (drxhdl)
		*drxhdl = 0;
	if (MPI_Initialized(&begun) || !begun || MPI_Finalized(&ended) || ended)
		return drxc_failed(DRX_EINVAL, __func__, "call it after MPI_Init and before MPI_Finalize");
	if (kdim < 0 || kdim > MOST)
		return drxc_failed(DRX_ERANK, __func__, "kdim is 0 for an array that exists, and otherwise 1 to 64");
	if (!drxhdl || (kdim > 0 && (!initsize || !chkshape)))
		return drxc_failed(DRX_EINVAL, __func__, "drxhdl, initsize or chkshape is NULL");
	for (int d = 0; d < kdim; d++) {
		if (initsize[d] > INT64_MAX)
			return drxc_failed(DRX_EOVERFLOW, __func__, "an extent in initsize does not fit 63 bits");
		shape[d] = (int64_t)initsize[d];
		chunk[d] = chkshape[d];
	}
	return drxgo_mp_spec(MPI_Comm_c2f(comm), kdim, shape, chunk, dtype, drxhdl);
}

int DRXMP_Create(DRXMDHdl *drxhdl, const char *filename)
{
	if (!drxhdl)
		return drxc_failed(DRX_EINVAL, __func__, "drxhdl is NULL");
	GO(drxgo_mp_create_spec(drxhdl, filename));
}

int DRXMP_Open(DRXMDHdl *drxhdl, const char *filename, const char *mode)
{
	int writing = mode && strcmp(mode, "r+") == 0;

	if (!drxhdl || !mode || (!writing && strcmp(mode, "r") != 0))
		return drxc_failed(DRX_EINVAL, __func__, "drxhdl is NULL, or mode is neither r nor r+");
	GO(drxgo_mp_open_spec(drxhdl, filename, writing ? DRX_WRITE : DRX_READ));
}

int DRXMP_Close(DRXMDHdl drxhdl)
{
	GO(drxgo_mp_close_spec(drxhdl));
}

int DRXMP_Terminate(void)
{
	return drxmp_terminate();
}

int DRXMP_Extend(DRXMDHdl drxhdl, int dim, size_t by)
{
	return drxmp_extend(drxhdl, dim, by > INT64_MAX ? -1 : (int64_t)by, DRX_HIGH, 0, NULL, NULL);
}

int DRXMP_Sync(DRXMDHdl drxhdl)
{
	return drxmp_sync(drxhdl);
}

/* set_section sets the section of a memory handle, and counts its elements. */
static int set_section(struct drxmp_mem *m, drxmp_array a, const int64_t *lo, const int64_t *hi)
{
	int64_t shape[MOST];
	int code;

	m->zone = !lo && !hi;
	if (m->zone && (code = drxmp_zone(a, DRXMP_ME, m->rank, shape)))
		return code;
	if (!m->zone && (code = drxmp_bounds(a, m->rank, m->lo, m->hi)))
		return code;
	m->elements = 1;
	for (int d = 0; d < m->rank; d++) {
		if (lo)
			m->lo[d] = lo[d];
		if (hi)
			m->hi[d] = hi[d];
		if (!m->zone && __builtin_sub_overflow(m->hi[d], m->lo[d], &shape[d]))
			return drxc_failed(DRX_EOVERFLOW, __func__, "the section has more than 2^63 elements");
		if (shape[d] < 0)
			return drxc_failed(DRX_EBOUNDS, __func__, "hi is less than lo");
		if (__builtin_mul_overflow(m->elements, shape[d], &m->elements))
			return drxc_failed(DRX_EOVERFLOW, __func__, "the section has more than 2^63 elements");
	}
	if (__builtin_mul_overflow(m->elements, (int64_t)drx_dtype_size(m->dtype), &m->size))
		return drxc_failed(DRX_EOVERFLOW, __func__, "the section has more than 2^63 bytes");
	return DRX_OK;
}

int DRXMP_Mem_init(DRXMDMemHdl *memhdl, DRXMDHdl drxhdl, int kdim, const int64_t *lo, const int64_t *hi, void *base)
{
	struct drxmp_mem *m;
	int code;

	if (!memhdl)
		return drxc_failed(DRX_EINVAL, __func__, "memhdl is NULL");
	*memhdl = NULL;
	if (kdim < 1 || kdim > MOST)
		return drxc_failed(DRX_ERANK, __func__, "kdim is 1 to 64");
	if (!(m = calloc(1, sizeof *m)))
		return drxc_failed(DRX_EMEMORY, __func__, "no memory for the handle");
	m->magic = MAGIC;
	m->rank = kdim;
	m->base = base;
	code = drxmp_dtype(drxhdl, &m->dtype);
	if (!code)
		code = set_section(m, drxhdl, lo, hi);
	if (!code && !base) {
		m->own = 1;
		if (!(m->base = calloc(1, m->size > 0 ? (size_t)m->size : 1)))
			code = drxc_failed(DRX_EMEMORY, __func__, "no memory for the elements");
	}
	if (code)
		free(m);
	else
		*memhdl = m;
	return code;
}

/* valid returns an error unless a memory handle is one. */
static int valid(DRXMDMemHdl m, const char *function)
{
	return m && m->magic == MAGIC ? DRX_OK : drxc_failed(DRX_EHANDLE, function, "memhdl is not of DRXMP_Mem_init");
}

int DRXMP_Mem_base(DRXMDMemHdl memhdl, void **base)
{
	int code = valid(memhdl, __func__);

	if (!code && base)
		*base = memhdl->base;
	return code;
}

int DRXMP_Mem_size(DRXMDMemHdl memhdl, int64_t *elements)
{
	int code = valid(memhdl, __func__);

	if (!code && elements)
		*elements = memhdl->elements;
	return code;
}

int DRXMP_Mem_free(DRXMDMemHdl memhdl)
{
	int code = valid(memhdl, __func__);

	if (code)
		return code;
	if (memhdl->own)
		free(memhdl->base);
	memhdl->magic = 0;
	free(memhdl);
	return DRX_OK;
}

typedef int (*move_section)(drxmp_array, int, const int64_t *, const int64_t *, const int64_t *, int, void *, int64_t, const int64_t *);
typedef int (*move_zone)(drxmp_array, int, void *, int64_t);

/* move moves the section of a memory handle. A wrong one is a buffer without address: the call
 * itself refuses it, together with the other processes. */
static int move(DRXMDHdl a, DRXMDMemHdl m, DRXMPStatus *stat, move_section section, move_zone zone)
{
	static const int64_t none[1] = {0};
	int code = valid(m, __func__);

	if (code) {
		section(a, 0, none, none, NULL, DRX_RAW, NULL, 1, NULL);
		code = valid(m, __func__); /* the message of this process */
	} else if (m->zone)
		code = zone(a, m->dtype, m->base, m->size);
	else
		code = section(a, m->rank, m->lo, m->hi, NULL, m->dtype, m->base, m->size, NULL);
	if (stat) {
		stat->code = code;
		stat->elements = code ? 0 : m->elements;
	}
	return code;
}

static int write_section(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides)
{
	return drxmp_write(a, rank, lo, hi, step, dtype, buf, size, strides);
}

static int write_section_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides)
{
	return drxmp_write_all(a, rank, lo, hi, step, dtype, buf, size, strides);
}

static int write_zone(drxmp_array a, int dtype, void *buf, int64_t size)
{
	return drxmp_write_zone(a, dtype, buf, size);
}

static int write_zone_all(drxmp_array a, int dtype, void *buf, int64_t size)
{
	return drxmp_write_zone_all(a, dtype, buf, size);
}

int DRXMP_Read(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
	return move(drxhdl, memhdl, stat, drxmp_read, drxmp_read_zone);
}

int DRXMP_Read_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
	return move(drxhdl, memhdl, stat, drxmp_read_all, drxmp_read_zone_all);
}

int DRXMP_Write(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
	return move(drxhdl, memhdl, stat, write_section, write_zone);
}

int DRXMP_Write_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
	return move(drxhdl, memhdl, stat, write_section_all, write_zone_all);
}
