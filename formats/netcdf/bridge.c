//go:build netcdf && cgo

#include "bridge.h"

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

// open_again opens a file that libnetcdf has open. All who open a file must agree how its objects are closed, and
// libraries differ in what they were built with.
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
