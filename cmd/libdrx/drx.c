/* drx.c - the functions of drx.h. Each asks whether this process may call into Go, and then
 * does. */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

#include "_cgo_export.h"

/* A use says, while a call with a callback runs, which arrays it works on. */
struct use {
	drx_array a, b;
	struct use *outer;
};

static _Thread_local struct use *uses;

static int in_use(drx_array a)
{
	for (struct use *u = uses; u && a; u = u->outer)
		if (u->a == a || u->b == a)
			return 1;
	return 0;
}

static int busy(const char *function)
{
	return drxc_failed(DRX_EBUSY, function, "called by a callback of a call that works on this array: let the callback return first");
}

/* GO_USING is GO for a call with a callback that works on one or two arrays. */
#define GO_USING(x, y, call) \
	do { \
		struct use use = {x, y, uses}; \
		int code; \
		if (drxc_forked()) \
			return drxc_refuse_child(__func__); \
		uses = &use; \
		code = call; \
		uses = use.outer; \
		return code; \
	} while (0)

const char *drx_version(void)
{
	static const char *version = "unknown";

	if (!drxc_forked())
		__atomic_store_n(&version, drxgo_version(), __ATOMIC_RELEASE);
	return __atomic_load_n(&version, __ATOMIC_ACQUIRE);
}

void drx_free(void *text)
{
	free(text);
}

int drx_strides(int dtype, int rank, const int64_t *shape, const int *order, int64_t *strides)
{
	GO(drxgo_strides(dtype, rank, shape, order, strides));
}

int drx_exists(const char *name, int *exists)
{
	GO(drxgo_exists(name, exists));
}

int drx_remove(const char *name)
{
	GO(drxgo_remove(name));
}

int drx_rename(const char *old_name, const char *new_name)
{
	GO(drxgo_rename(old_name, new_name));
}

int drx_copy_files(const char *old_name, const char *new_name, drx_progress progress, void *user)
{
	GO(drxgo_copy_files(old_name, new_name, progress, user));
}

int drx_list(const char *folder, char **json)
{
	GO(drxgo_list(folder, json));
}

int drx_recover(const char *name, const char *new_name, int unchecked, drx_progress progress, void *user,
	char **report)
{
	GO(drxgo_recover(name, new_name, unchecked, progress, user, report));
}

int drx_set_memory(int64_t bytes, int64_t *before)
{
	GO(drxgo_set_memory(bytes, before));
}

int drx_set_locks(const char *kind)
{
	GO(drxgo_set_locks(kind));
}

int drx_cut(const char *src, const char *dst, const char *options, drx_progress progress, void *user, char **json)
{
	GO(drxgo_cut(src, dst, options, progress, user, json));
}

int drx_sort(const char *src, const char *dst, const char *by, const char *options, drx_progress progress, void *user,
	char **json)
{
	GO(drxgo_sort(src, dst, by, options, progress, user, json));
}

int drx_coarsen(const char *src, const char *dst, const char *options, drx_progress progress, void *user, char **json)
{
	GO(drxgo_coarsen(src, dst, options, progress, user, json));
}

int drx_regrid(const char *src, const char *dst, const char *options, drx_progress progress, void *user, char **json)
{
	GO(drxgo_regrid(src, dst, options, progress, user, json));
}

int drx_diff(const char *first, const char *second, const char *options, drx_progress progress, void *user, char **json)
{
	GO(drxgo_diff(first, second, options, progress, user, json));
}

int drx_accept_loss(const char *name)
{
	GO(drxgo_accept_loss(name));
}

int drx_open(const char *name, int mode, const char *options, drx_array *a)
{
	drxc_use_alternate_stacks();
	GO(drxgo_open(name, mode, options, a));
}

int drx_create(const char *name, int dtype, int rank, const int64_t *shape, const char *options, drx_array *a)
{
	drxc_use_alternate_stacks();
	GO(drxgo_create(name, dtype, rank, shape, options, a));
}

int drx_sync(drx_array a)
{
	GO(drxgo_sync(a));
}

int drx_close(drx_array a)
{
	if (in_use(a))
		return busy(__func__);
	GO(drxgo_close(a));
}

int drx_discard(drx_array a)
{
	if (in_use(a))
		return busy(__func__);
	GO(drxgo_discard(a));
}

int drx_rank(drx_array a, int *rank)
{
	GO(drxgo_rank(a, rank));
}

int drx_dtype(drx_array a, int *dtype)
{
	GO(drxgo_dtype(a, dtype));
}

int drx_bounds(drx_array a, int rank, int64_t *lo, int64_t *hi)
{
	GO(drxgo_bounds(a, rank, lo, hi));
}

int drx_chunk(drx_array a, int rank, int64_t *chunk)
{
	GO(drxgo_chunk(a, rank, chunk));
}

int drx_dim(drx_array a, const char *name, int *dim)
{
	GO(drxgo_dim(a, name, dim));
}

int drx_dim_name(drx_array a, int dim, char **name)
{
	GO(drxgo_dim_name(a, dim, name));
}

int drx_name(drx_array a, char **name)
{
	GO(drxgo_name(a, name));
}

int drx_mode(drx_array a, int *mode)
{
	GO(drxgo_mode(a, mode));
}

int drx_fill_value(drx_array a, int dtype, void *value)
{
	GO(drxgo_fill_value(a, dtype, value));
}

int drx_info(drx_array a, char **json)
{
	GO(drxgo_info(a, json));
}

int drx_history(drx_array a, char **json)
{
	GO(drxgo_history(a, json));
}

int drx_snapshot(drx_array a, char **text)
{
	GO(drxgo_snapshot(a, text));
}

int drx_labels(drx_array a, int dim, char **json)
{
	GO(drxgo_labels(a, dim, json));
}

int drx_set_labels(drx_array a, int dim, const char *json)
{
	GO(drxgo_set_labels(a, dim, json));
}

int drx_extend(drx_array a, int dim, int64_t by, int side, int rank, int64_t *lo, int64_t *hi)
{
	GO(drxgo_extend(a, dim, by, side, rank, lo, hi));
}

int drx_reserve(drx_array a, int dim, int64_t by, int side, int rank, int64_t *lo, int64_t *hi)
{
	GO(drxgo_reserve(a, dim, by, side, rank, lo, hi));
}

int drx_reserve_key(drx_array a, const char *key, int dim, int64_t by, int side, int rank, int64_t *lo, int64_t *hi)
{
	GO(drxgo_reserve_key(a, key, dim, by, side, rank, lo, hi));
}

int drx_shrink(drx_array a, int dim, int64_t by, int side)
{
	GO(drxgo_shrink(a, dim, by, side));
}

int drx_add_dim(drx_array a, const char *name, int *dim)
{
	GO(drxgo_add_dim(a, name, dim));
}

int drx_rename_dim(drx_array a, int dim, const char *name)
{
	GO(drxgo_rename_dim(a, dim, name));
}

int drx_compact(drx_array a, drx_progress progress, void *user)
{
	GO_USING(a, 0, drxgo_compact(a, progress, user));
}

int drx_recompress(drx_array a, const char *codec, drx_progress progress, void *user)
{
	GO_USING(a, 0, drxgo_recompress(a, codec, progress, user));
}

int drx_read(drx_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype,
	void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_read(a, rank, lo, hi, step, dtype, buf, size, strides));
}

int drx_write(drx_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype,
	const void *buf, int64_t size, const int64_t *strides)
{
	GO(drxgo_write(a, rank, lo, hi, step, dtype, (void *)buf, size, strides));
}

int drx_fill(drx_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype,
	const void *value)
{
	GO(drxgo_fill(a, rank, lo, hi, step, dtype, (void *)value));
}

int drx_get(drx_array a, int rank, const int64_t *index, int dtype, void *value)
{
	GO(drxgo_get(a, rank, index, dtype, value));
}

int drx_set(drx_array a, int rank, const int64_t *index, int dtype, const void *value)
{
	GO(drxgo_set(a, rank, index, dtype, (void *)value));
}

int drx_gather(drx_array a, int rank, int64_t n, const int64_t *indices, int dtype, void *buf)
{
	GO(drxgo_gather(a, rank, n, indices, dtype, buf));
}

int drx_scatter(drx_array a, int rank, int64_t n, const int64_t *indices, int dtype, const void *buf)
{
	GO(drxgo_scatter(a, rank, n, indices, dtype, (void *)buf));
}

int drx_attrs(drx_array a, char **json)
{
	GO(drxgo_attrs(a, json));
}

int drx_attr(drx_array a, const char *name, char **json)
{
	GO(drxgo_attr(a, name, json));
}

int drx_attr_int(drx_array a, const char *name, int64_t *value)
{
	GO(drxgo_attr_int(a, name, value));
}

int drx_attr_double(drx_array a, const char *name, double *value)
{
	GO(drxgo_attr_double(a, name, value));
}

int drx_attr_text(drx_array a, const char *name, char **value)
{
	GO(drxgo_attr_text(a, name, value));
}

int drx_set_attr(drx_array a, const char *name, const char *json)
{
	GO(drxgo_set_attr(a, name, json));
}

int drx_set_attr_int(drx_array a, const char *name, int64_t value)
{
	GO(drxgo_set_attr_int(a, name, value));
}

int drx_set_attr_double(drx_array a, const char *name, double value)
{
	GO(drxgo_set_attr_double(a, name, value));
}

int drx_set_attr_text(drx_array a, const char *name, const char *value)
{
	GO(drxgo_set_attr_text(a, name, value));
}

int drx_delete_attr(drx_array a, const char *name)
{
	GO(drxgo_delete_attr(a, name));
}

int drx_refresh(drx_array a, int *changed)
{
	GO(drxgo_refresh(a, changed));
}

int drx_poll(drx_array a, double timeout, char **json)
{
	GO(drxgo_poll(a, timeout, json));
}

int drx_follow(drx_array a, double timeout, drx_change_fn f, void *user)
{
	GO_USING(a, 0, drxgo_follow(a, timeout, f, user));
}

int drx_walk(drx_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *tile, int written,
	drx_part_fn f, void *user)
{
	GO_USING(a, 0, drxgo_walk(a, rank, lo, hi, tile, written, f, user));
}

int drx_verify(drx_array a, drx_progress progress, void *user, char **report)
{
	GO_USING(a, 0, drxgo_verify(a, progress, user, report));
}

int drx_stats(drx_array a, const char *options, drx_progress progress, void *user, char **json)
{
	GO_USING(a, 0, drxgo_stats(a, options, progress, user, json));
}

int drx_relayout(drx_array dst, drx_array src, const char *options, drx_progress progress, void *user, char **stats)
{
	GO_USING(dst, src, drxgo_relayout(dst, src, options, progress, user, stats));
}

int drx_meaning_compare(const char *from, const char *to, const char *options, char **json)
{
	GO(drxgo_meaning_compare(from, to, options, json));
}

int drx_meaning_convert(const char *from, const char *to, const char *options, int64_t n, const void *elements,
	void *converted)
{
	GO(drxgo_meaning_convert(from, to, options, n, (void *)elements, converted));
}

int drx_import(const char *dst, int n, const char *const *files, const char *options, drx_progress progress, void *user,
	char **json)
{
	drxc_use_alternate_stacks();
	GO(drxgo_import(dst, n, (drxc_text **)files, options, progress, user, json));
}

int drx_export(const char *src, const char *dst, const char *options, drx_progress progress, void *user, char **json)
{
	drxc_use_alternate_stacks();
	GO(drxgo_export(src, dst, options, progress, user, json));
}

int xtaHDFmap(const char *file, const char *dataset, const char *name, drx_array *xta_hdf)
{
	drxc_use_alternate_stacks();
	GO(drxgo_map("hdf5", file, dataset, name, xta_hdf));
}

int xtaHDFwrite(drx_array xta_hdf, const char *file, const char *dataset)
{
	GO(drxgo_write_mapped(xta_hdf, "hdf5", file, dataset));
}

int xtaNetCDFmap(const char *file, const char *variable, const char *name, drx_array *xta_ncdf)
{
	drxc_use_alternate_stacks();
	GO(drxgo_map("netcdf", file, variable, name, xta_ncdf));
}

int xtaNetCDFwrite(drx_array xta_ncdf, const char *file, const char *variable)
{
	GO(drxgo_write_mapped(xta_ncdf, "netcdf", file, variable));
}

int drx_select(drx_array a, const char *conditions, int exact, char **json)
{
	GO(drxgo_select(a, conditions, exact, json));
}

int drx_select_points(drx_array a, const char *conditions, int exact, char **json)
{
	GO(drxgo_select_points(a, conditions, exact, json));
}

int drx_dataset_create(const char *folder, const char *options, drx_dataset *d)
{
	drxc_use_alternate_stacks();
	GO(drxgo_dataset_create(folder, options, d));
}

int drx_dataset_open(const char *folder, int mode, const char *options, drx_dataset *d)
{
	drxc_use_alternate_stacks();
	GO(drxgo_dataset_open(folder, mode, options, d));
}

int drx_dataset_sync(drx_dataset d)
{
	GO(drxgo_dataset_sync(d));
}

int drx_dataset_close(drx_dataset d)
{
	GO(drxgo_dataset_close(d));
}

int drx_dataset_discard(drx_dataset d)
{
	GO(drxgo_dataset_discard(d));
}

int drx_dataset_refresh(drx_dataset d)
{
	GO(drxgo_dataset_refresh(d));
}

int drx_dataset_prepare(drx_dataset d)
{
	GO(drxgo_dataset_prepare(d));
}

int drx_dataset_release(drx_dataset d)
{
	GO(drxgo_dataset_release(d));
}

int drx_dataset_info(drx_dataset d, char **json)
{
	GO(drxgo_dataset_info(d, json));
}

int drx_dataset_variable(drx_dataset d, const char *name, drx_array *a)
{
	GO(drxgo_dataset_variable(d, name, a));
}

int drx_dataset_create_variable(drx_dataset d, const char *name, int dtype, int rank, const int64_t *shape,
	const char *options, drx_array *a)
{
	GO(drxgo_dataset_create_variable(d, name, dtype, rank, shape, options, a));
}

int drx_dataset_create_group(drx_dataset d, const char *group)
{
	GO(drxgo_dataset_create_group(d, group));
}

int drx_dataset_extend(drx_dataset d, const char *dim, int64_t by, int side, int64_t *lo, int64_t *hi)
{
	GO(drxgo_dataset_extend(d, dim, by, side, lo, hi));
}

int drx_dataset_rename(drx_dataset d, const char *name, const char *new_name)
{
	GO(drxgo_dataset_rename(d, name, new_name));
}

int drx_dataset_dim(drx_dataset d, const char *dim, int64_t *lo, int64_t *hi)
{
	GO(drxgo_dataset_dim(d, dim, lo, hi));
}

int drx_dataset_coordinate(drx_dataset d, const char *dim, int64_t lo, int64_t hi, double *values)
{
	GO(drxgo_dataset_coordinate(d, dim, lo, hi, values));
}

int drx_dataset_coordinate_text(drx_dataset d, const char *dim, int64_t lo, int64_t hi, char **json)
{
	GO(drxgo_dataset_coordinate_text(d, dim, lo, hi, json));
}

int drx_dataset_attrs(drx_dataset d, const char *group, char **json)
{
	GO(drxgo_dataset_attrs(d, group, json));
}

int drx_dataset_set_attr(drx_dataset d, const char *group, const char *name, const char *json)
{
	GO(drxgo_dataset_set_attr(d, group, name, json));
}

int drx_dataset_delete_attr(drx_dataset d, const char *group, const char *name)
{
	GO(drxgo_dataset_delete_attr(d, group, name));
}
