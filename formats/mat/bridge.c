//go:build matio && cgo

#include "bridge.h"
#include <hdf5.h>
#include <stdio.h>

static char message[512];

static void keep(int level, char *text)
{
    (void)level;
    if (message[0] == 0)
        snprintf(message, sizeof message, "%s", text);
}

void drxmat_begin(void)
{
    message[0] = 0;
    Mat_LogInitFunc("drx", keep);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

const char *drxmat_message(void) { return message; }

int drxmat_linear(mat_t *mat, matvar_t *var, void *re, void *im, int start, int n)
{
    mat_complex_split_t both = {re, im};
    return Mat_VarReadDataLinear(mat, var, im ? (void *)&both : re, start, 1, n);
}

int drxmat_box(mat_t *mat, matvar_t *var, void *re, void *im, int *start, int *stride, int *edge)
{
    mat_complex_split_t both = {re, im};
    return Mat_VarReadData(mat, var, im ? (void *)&both : re, start, stride, edge);
}

matvar_t *drxmat_field(matvar_t *var, size_t i)
{
    return Mat_VarGetStructFieldByIndex(var, i, 0);
}

const char *drxmat_field_name(matvar_t *var, size_t i)
{
    char *const *names = Mat_VarGetStructFieldnames(var);
    return names ? names[i] : NULL;
}

int drxmat_object(const char *path, size_t i, char *name, size_t size) {
	hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (file < 0) return 0;
	ssize_t n = H5Lget_name_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, i, name, size, H5P_DEFAULT);
	H5Fclose(file);
	return n > 0;
}

// found is the name of something that lies in other files.
struct found {
	char *name;
	size_t size;
};

// note notes a name, and ends a visit.
static herr_t note(struct found *f, const char *name) {
	snprintf(f->name, f->size, "%s", name);
	return 1;
}

// external_link looks for links to other files.
static herr_t external_link(hid_t group, const char *name, const H5L_info_t *info, void *to) {
	(void)group;
	return info->type == H5L_TYPE_HARD || info->type == H5L_TYPE_SOFT ? 0 : note(to, name);
}

// external_elements looks for datasets whose elements are in other files.
static herr_t external_elements(hid_t group, const char *name, const H5O_info_t *info, void *to) {
	hid_t dataset, plist;
	int outside = -1;
	if (info->type != H5O_TYPE_DATASET)
		return 0;
	if ((dataset = H5Dopen2(group, name, H5P_DEFAULT)) < 0)
		return 0; // whoever reads it gets the error
	if ((plist = H5Dget_create_plist(dataset)) >= 0) {
		outside = H5Pget_external_count(plist) != 0 || H5Pget_layout(plist) == H5D_VIRTUAL;
		H5Pclose(plist);
	}
	H5Dclose(dataset);
	return outside ? note(to, name) : 0;
}

int drxmat_elsewhere(const char *path, char *name, size_t size) {
	struct found to = {name, size};
	int status = -1;
	hid_t file;
	H5E_auto2_t print;
	void *data;
	H5Eget_auto2(H5E_DEFAULT, &print, &data);
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	if (H5Fis_hdf5(path) == 0) {
		status = 0;
	} else if ((file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) >= 0) {
		status = H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, external_link, &to);
		if (status == 0)
			status = H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, external_elements, &to, H5O_INFO_BASIC);
		H5Fclose(file);
	}
	H5Eclear2(H5E_DEFAULT);
	H5Eset_auto2(H5E_DEFAULT, print, data);
	return status;
}
