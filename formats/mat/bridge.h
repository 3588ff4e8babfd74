// What the bridge calls besides libmatio itself.

#include <matio.h>
#include <stdlib.h>

// Forgets the last message, and keeps messages from the terminal.
void drxmat_begin(void);
// The first message since drxmat_begin.
const char *drxmat_message(void);

// Reads n elements from the given one on. im is NULL unless the variable is complex.
int drxmat_linear(mat_t *mat, matvar_t *var, void *re, void *im, int start, int n);
// Reads a box. im is NULL unless the variable is complex.
int drxmat_box(mat_t *mat, matvar_t *var, void *re, void *im, int *start, int *stride, int *edge);
// Writes the name of the i-th object at the root of an HDF5 file to name, cut to size bytes; 0 if
// there is none, or it is no HDF5 file.
int drxmat_object(const char *path, size_t i, char *name, size_t size);
// The i-th field of a struct of one element, and its name; NULL if there is none.
matvar_t *drxmat_field(matvar_t *var, size_t i);
const char *drxmat_field_name(matvar_t *var, size_t i);
// Whether something in an HDF5 file lies in other files: 1 if so, with the name of it, 0 if not, -1
// if the file cannot be read. The library would follow it.
int drxmat_elsewhere(const char *path, char *name, size_t size);
