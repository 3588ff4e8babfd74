//go:build netcdf && cgo

#include "bridge.h"
#include <stdio.h>

void drxnc_quiet(void) { H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

// within is drxnc_within for a dataset of an open file.
static int within(hid_t file, hid_t dataset) {
	H5O_info_t root, info;
	hid_t plist;
	int ok;
	if (H5Oget_info2(file, &root, H5O_INFO_BASIC) < 0 || H5Oget_info2(dataset, &info, H5O_INFO_BASIC) < 0)
		return -1;
	if ((plist = H5Dget_create_plist(dataset)) < 0)
		return -1;
	ok = root.fileno == info.fileno && H5Pget_external_count(plist) == 0 && H5Pget_layout(plist) != H5D_VIRTUAL;
	H5Pclose(plist);
	return ok;
}

// open_again opens a file that libnetcdf has open. All who open a file must agree how its objects
// are closed, and libraries differ in what they were built with.
static hid_t open_again(const char *path) {
	const H5F_close_degree_t degrees[] = {H5F_CLOSE_WEAK, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG};
	hid_t file = -1, access = H5Pcreate(H5P_FILE_ACCESS);
	for (int i = 0; i < 3 && file < 0; i++)
		if (H5Pset_fclose_degree(access, degrees[i]) >= 0)
			file = H5Fopen(path, H5F_ACC_RDONLY, access);
	H5Pclose(access);
	return file;
}

int drxnc_within(const char *path, const char *dataset) {
	int ok = -1;
	hid_t file = open_again(path), d = -1;
	if (file >= 0 && (d = H5Dopen2(file, dataset, H5P_DEFAULT)) >= 0) {
		ok = within(file, d);
		H5Dclose(d);
	}
	if (file >= 0)
		H5Fclose(file);
	H5Eclear2(H5E_DEFAULT);
	return ok;
}

// a_link is the name of a link to another file.
struct a_link {
	char *name;
	size_t size;
};

static herr_t outside(hid_t group, const char *name, const H5L_info_t *info, void *to) {
	struct a_link *l = to;
	(void)group;
	if (info->type == H5L_TYPE_HARD || info->type == H5L_TYPE_SOFT)
		return 0;
	snprintf(l->name, l->size, "%s", name);
	return 1;
}

int drxnc_link(const char *path, char *name, size_t size) {
	struct a_link l = {name, size};
	int status = -1;
	hid_t file = open_again(path);
	if (file >= 0) {
		status = H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, outside, &l);
		H5Fclose(file);
	}
	H5Eclear2(H5E_DEFAULT);
	return status;
}
