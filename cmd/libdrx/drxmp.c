//go:build mpi && cgo

/* drxmp.c - the functions drxmp_* of drxmp.h, as drx.c has those of drx.h. */
#include <stdlib.h>

#include "internal.h"

#include "drxmp.h"

#include "_cgo_export.h"

/* communicator returns a communicator as Go takes it, or sets the error: MPI must be running. */
static int communicator(MPI_Comm comm, const char *function, int *handle)
{
	int begun = 0, ended = 0;

	if (MPI_Initialized(&begun) || !begun || MPI_Finalized(&ended) || ended)
		return drxc_failed(DRX_EINVAL, function, "call it after MPI_Init and before MPI_Finalize");
	*handle = MPI_Comm_c2f(comm);
	return DRX_OK;
}

/* GO_WITH is GO for a function that takes a communicator. */
#define GO_WITH(comm, call) \
	do { \
		int handle, code; \
		if (drxc_forked()) \
			return drxc_refuse_child(__func__); \
		drxc_use_alternate_stacks(); \
		code = communicator(comm, __func__, &handle); \
		return code ? code : call; \
	} while (0)

int drxmp_create(MPI_Comm comm, const char *name, int dtype, int rank, const int64_t *shape, const char *options, drxmp_array *a)
{
	GO_WITH(comm, drxgo_mp_create(handle, name, dtype, rank, shape, options, a));
}

int drxmp_open(MPI_Comm comm, const char *name, int mode, const char *options, drxmp_array *a)
{
	GO_WITH(comm, drxgo_mp_open(handle, name, mode, options, a));
}

int drxmp_sync(drxmp_array a)
{
	GO(drxgo_mp_sync(a));
}

int drxmp_close(drxmp_array a)
{
	GO(drxgo_mp_close(a));
}

int drxmp_discard(drxmp_array a)
{
	GO(drxgo_mp_discard(a));
}

int drxmp_refuse(drxmp_array a, const char *what, const char *why)
{
	GO(drxgo_mp_refuse(a, what, why));
}

int drxmp_mpi(char **version)
{
	int n = 0;

	if (!version)
		return drxc_failed(DRX_EINVAL, __func__, "version is NULL");
	*version = calloc(1, MPI_MAX_LIBRARY_VERSION_STRING);
	if (!*version)
		return drxc_failed(DRX_EMEMORY, __func__, "no memory");
	MPI_Get_library_version(*version, &n);
	return DRX_OK;
}

int drxmp_terminate(void)
{
	GO(drxgo_mp_terminate());
}

int drxmp_rank(drxmp_array a, int *rank)
{
	GO(drxgo_mp_rank(a, rank));
}

int drxmp_dtype(drxmp_array a, int *dtype)
{
	GO(drxgo_mp_dtype(a, dtype));
}

int drxmp_bounds(drxmp_array a, int rank, int64_t *lo, int64_t *hi)
{
	GO(drxgo_mp_bounds(a, rank, lo, hi));
}

int drxmp_chunk(drxmp_array a, int rank, int64_t *chunk)
{
	GO(drxgo_mp_chunk(a, rank, chunk));
}

int drxmp_info(drxmp_array a, char **json)
{
	GO(drxgo_mp_info(a, json));
}

int drxmp_attrs(drxmp_array a, char **json)
{
	GO(drxgo_mp_attrs(a, json));
}

int drxmp_attr(drxmp_array a, const char *name, char **json)
{
	GO(drxgo_mp_attr(a, name, json));
}

int drxmp_set_attr(drxmp_array a, const char *name, const char *json)
{
	GO(drxgo_mp_set_attr(a, name, json));
}

int drxmp_delete_attr(drxmp_array a, const char *name)
{
	GO(drxgo_mp_delete_attr(a, name));
}

int drxmp_refresh(drxmp_array a, int *changed)
{
	GO(drxgo_mp_refresh(a, changed));
}

int drxmp_extend(drxmp_array a, int dim, int64_t by, int side, int rank, int64_t *lo, int64_t *hi)
{
	GO(drxgo_mp_extend(a, dim, by, side, rank, lo, hi));
}

int drxmp_shrink(drxmp_array a, int dim, int64_t by, int side)
{
	GO(drxgo_mp_shrink(a, dim, by, side));
}

int drxmp_add_dim(drxmp_array a, const char *name, int *dim)
{
	GO(drxgo_mp_add_dim(a, name, dim));
}

int drxmp_redistribute(drxmp_array a, const char *options)
{
	GO(drxgo_mp_redistribute(a, options));
}

int drxmp_owner(drxmp_array a, int rank, const int64_t *index, int *proc)
{
	GO(drxgo_mp_owner(a, rank, index, proc));
}

int drxmp_zone(drxmp_array a, int proc, int rank, int64_t *shape)
{
	GO(drxgo_mp_zone(a, proc, rank, shape));
}

int drxmp_boxes(drxmp_array a, int proc, int *boxes)
{
	GO(drxgo_mp_boxes(a, proc, boxes));
}

int drxmp_box(drxmp_array a, int proc, int i, int rank, int64_t *lo, int64_t *hi)
{
	GO(drxgo_mp_box(a, proc, i, rank, lo, hi));
}

int drxmp_zone_chunks(drxmp_array a, int proc, int64_t *chunks, int64_t *file, int64_t *memory)
{
	GO(drxgo_mp_zone_chunks(a, proc, chunks, file, memory));
}

int drxmp_read_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_mp_read_all(a, rank, lo, hi, step, dtype, buf, size, strides));
}

int drxmp_write_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_mp_write_all(a, rank, lo, hi, step, dtype, (void *)buf, size, strides));
}

int drxmp_read(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_mp_read(a, rank, lo, hi, step, dtype, buf, size, strides));
}

int drxmp_write(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_mp_write(a, rank, lo, hi, step, dtype, (void *)buf, size, strides));
}

int drxmp_read_zone_all(drxmp_array a, int dtype, void *buf, int64_t size)
{
	GO(drxgo_mp_read_zone_all(a, dtype, buf, size));
}

int drxmp_write_zone_all(drxmp_array a, int dtype, const void *buf, int64_t size)
{
	GO(drxgo_mp_write_zone_all(a, dtype, (void *)buf, size));
}

int drxmp_read_zone(drxmp_array a, int dtype, void *buf, int64_t size)
{
	GO(drxgo_mp_read_zone(a, dtype, buf, size));
}

int drxmp_write_zone(drxmp_array a, int dtype, const void *buf, int64_t size)
{
	GO(drxgo_mp_write_zone(a, dtype, (void *)buf, size));
}

int drxmp_start_read_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides, drxmp_request *r)
{
	GO(drxgo_mp_start_read_all(a, rank, lo, hi, step, dtype, buf, size, strides, r));
}

int drxmp_start_write_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides, drxmp_request *r)
{
	GO(drxgo_mp_start_write_all(a, rank, lo, hi, step, dtype, (void *)buf, size, strides, r));
}

int drxmp_start_read(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides, drxmp_request *r)
{
	GO(drxgo_mp_start_read(a, rank, lo, hi, step, dtype, buf, size, strides, r));
}

int drxmp_start_write(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides, drxmp_request *r)
{
	GO(drxgo_mp_start_write(a, rank, lo, hi, step, dtype, (void *)buf, size, strides, r));
}

int drxmp_wait(drxmp_request r)
{
	GO(drxgo_mp_wait(r));
}

int drxmp_test(drxmp_request r, int *done)
{
	GO(drxgo_mp_test(r, done));
}

int drxmp_global_create(drxmp_array a, drxmp_global *g)
{
	GO(drxgo_mp_global_create(a, g));
}

int drxmp_global_close(drxmp_global g)
{
	GO(drxgo_mp_global_close(g));
}

int drxmp_global_local(drxmp_global g, void **elements, int64_t *size)
{
	GO(drxgo_mp_global_local(g, elements, size));
}

int drxmp_global_zone(drxmp_global g, int proc, int rank, int64_t *shape)
{
	GO(drxgo_mp_global_zone(g, proc, rank, shape));
}

int drxmp_global_boxes(drxmp_global g, int proc, int *boxes)
{
	GO(drxgo_mp_global_boxes(g, proc, boxes));
}

int drxmp_global_box(drxmp_global g, int proc, int i, int rank, int64_t *lo, int64_t *hi)
{
	GO(drxgo_mp_global_box(g, proc, i, rank, lo, hi));
}

int drxmp_global_get(drxmp_global g, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_mp_global_get(g, rank, lo, hi, step, dtype, buf, size, strides));
}

int drxmp_global_put(drxmp_global g, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_mp_global_put(g, rank, lo, hi, step, dtype, (void *)buf, size, strides));
}

int drxmp_global_accumulate(drxmp_global g, int op, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_mp_global_accumulate(g, op, rank, lo, hi, step, dtype, (void *)buf, size, strides));
}

int drxmp_global_fence(drxmp_global g)
{
	GO(drxgo_mp_global_fence(g));
}

int drxmp_global_load(drxmp_global g)
{
	GO(drxgo_mp_global_load(g));
}

int drxmp_global_store(drxmp_global g)
{
	GO(drxgo_mp_global_store(g));
}

int drxmp_global_follow(drxmp_global g)
{
	GO(drxgo_mp_global_follow(g));
}
