// What Go cannot do alone: callbacks of libhdf5, and types with pointers.
#pragma once
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdint.h>
#include <stdlib.h>

// drxh5_quiet stops the library from printing errors of this thread.
void drxh5_quiet(void);

// drxh5_error writes the outermost and the innermost description of the last error of this thread,
// and forgets it. Both texts have room for size bytes. It returns whether the file is too short.
int drxh5_error(char *outer, char *inner, size_t size);

// A drxh5_names collects names, each with a leading byte for its kind and a zero at the end.
typedef struct {
	char *text;
	size_t used, room;
} drxh5_names;

// drxh5_links collects the links of a group; the kind is 'h' for hard, 's' for soft, 'e' for
// external links and '?' for others. Free names->text. Negative on errors.
herr_t drxh5_links(hid_t group, drxh5_names *names);

// drxh5_external_file returns the name of the file that an external link leads to, NULL on errors.
// Free it.
char *drxh5_external_file(hid_t file, const char *link, hid_t access);

// drxh5_attributes collects the names of an object's attributes, with the kind 'a'. Free
// names->text.
herr_t drxh5_attributes(hid_t object, drxh5_names *names);

// drxh5_scales writes the address of the first scale of each dimension of a dataset, HADDR_UNDEF
// for none. It returns 0 if the dataset has no valid list of scales, 1 if it has, and negative on
// errors.
int drxh5_scales(hid_t dataset, int rank, uint64_t *addresses);

// drxh5_forbid_links makes link accesses with this property list call drxMayFollow, in Go, for
// external links.
herr_t drxh5_forbid_links(hid_t access);

// drxh5_limit_strings makes transfers with this property list fail that allocate more than budget
// bytes for strings of variable length. The budget is shared by all transfers: one at a time.
herr_t drxh5_limit_strings(hid_t transfer, size_t budget);
