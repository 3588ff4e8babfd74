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
