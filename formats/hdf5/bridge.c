//go:build hdf5 && cgo

#include "bridge.h"
#include "_cgo_export.h"
#include <stdio.h>
#include <string.h>

void drxh5_quiet(void) { H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

typedef struct {
	char *outer, *inner;
	size_t size;
	int short_file;
} texts;

static herr_t note(unsigned n, const H5E_error2_t *e, void *data) {
	texts *t = data;
	t->short_file |= e->min_num == H5E_TRUNCATED || (e->min_num == H5E_OVERFLOW && (e->maj_num == H5E_ARGS || e->maj_num == H5E_VFL || e->maj_num == H5E_IO));
	snprintf(t->inner, t->size, "%s", e->desc ? e->desc : "");
	if (n == 0)
		snprintf(t->outer, t->size, "%s", e->desc ? e->desc : "");
	return 0;
}

int drxh5_error(char *outer, char *inner, size_t size) {
	texts t = {outer, inner, size, 0};
	outer[0] = inner[0] = 0;
	H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note, &t);
	H5Eclear2(H5E_DEFAULT);
	return t.short_file;
}

// add appends a kind and a name. Negative without memory.
static herr_t add(drxh5_names *names, char kind, const char *name) {
	size_t n = strlen(name) + 2;
	if (names->used + n > names->room) {
		size_t room = 2 * names->room + n;
		char *text = realloc(names->text, room);
		if (text == NULL)
			return -1;
		names->text = text;
		names->room = room;
	}
	names->text[names->used] = kind;
	memcpy(names->text + names->used + 1, name, n - 1);
	names->used += n;
	return 0;
}

static herr_t add_link(hid_t group, const char *name, const H5L_info_t *info, void *names) {
	char kind = '?';
	if (info->type == H5L_TYPE_HARD)
		kind = 'h';
	else if (info->type == H5L_TYPE_SOFT)
		kind = 's';
	else if (info->type == H5L_TYPE_EXTERNAL)
		kind = 'e';
	return add(names, kind, name);
}

herr_t drxh5_links(hid_t group, drxh5_names *names) {
	unsigned order = 0;
	hid_t plist = H5Gget_create_plist(group);
	if (plist >= 0) {
		if (H5Pget_link_creation_order(plist, &order) < 0)
			order = 0;
		H5Pclose(plist);
	}
	H5_index_t by = order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
	return H5Literate(group, by, H5_ITER_INC, NULL, add_link, names);
}

char *drxh5_external_file(hid_t file, const char *link, hid_t access) {
	H5L_info_t info;
	if (H5Lget_info(file, link, &info, access) < 0 || info.u.val_size == 0 || info.u.val_size > 1 << 20)
		return NULL;
	char *value = malloc(info.u.val_size), *copy = NULL;
	const char *name, *object;
	if (value != NULL && H5Lget_val(file, link, value, info.u.val_size, access) >= 0 &&
	    H5Lunpack_elink_val(value, info.u.val_size, NULL, &name, &object) >= 0)
		copy = strdup(name);
	free(value);
	return copy;
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *names) {
	return add(names, 'a', name);
}

herr_t drxh5_attributes(hid_t object, drxh5_names *names) {
	return H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_attribute, names);
}

// is_scale_list reports whether an attribute is a sequence of object references for each of rank
// dimensions.
static int is_scale_list(hid_t type, hid_t space, int rank) {
	int ok = 0;
	if (H5Tget_class(type) == H5T_VLEN && H5Sget_simple_extent_npoints(space) == rank) {
		hid_t of = H5Tget_super(type);
		ok = of >= 0 && H5Tequal(of, H5T_STD_REF_OBJ) > 0;
		if (of >= 0)
			H5Tclose(of);
	}
	return ok;
}

int drxh5_scales(hid_t dataset, int rank, uint64_t *addresses) {
	if (rank < 1 || rank > H5S_MAX_RANK || H5Aexists(dataset, "DIMENSION_LIST") <= 0)
		return 0;
	hid_t attr = H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT);
	if (attr < 0)
		return -1;
	int got = 0;
	hid_t type = H5Aget_type(attr), space = H5Aget_space(attr);
	if (type >= 0 && space >= 0 && is_scale_list(type, space, rank)) {
		hvl_t lists[H5S_MAX_RANK];
		memset(lists, 0, sizeof lists);
		got = -1;
		if (H5Aread(attr, type, lists) >= 0) {
			for (int d = 0; d < rank; d++)
				addresses[d] = lists[d].len > 0 && lists[d].p ? *(hobj_ref_t *)lists[d].p : HADDR_UNDEF;
			H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
			got = 1;
		}
	}
	if (type >= 0)
		H5Tclose(type);
	if (space >= 0)
		H5Sclose(space);
	H5Aclose(attr);
	return got;
}

static herr_t ask(const char *parent, const char *group, const char *file, const char *object, unsigned *flags,
                  hid_t access, void *data) {
	*flags = H5F_ACC_RDONLY;
	return drxMayFollow((char *)parent, (char *)file) ? 0 : -1;
}

herr_t drxh5_forbid_links(hid_t access) { return H5Pset_elink_cb(access, ask, NULL); }

static size_t left; // bytes that transfers may still allocate for strings

static void *allocate(size_t n, void *data) {
	if (n > left)
		return NULL;
	left -= n;
	return malloc(n ? n : 1);
}

static void release(void *p, void *data) { free(p); }

herr_t drxh5_limit_strings(hid_t transfer, size_t budget) {
	left = budget;
	return H5Pset_vlen_mem_manager(transfer, allocate, NULL, release, NULL);
}
