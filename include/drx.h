/* drx.h - DRX for C: arrays in files that grow along any dimension.
 *
 * Link with -ldrx, or with what `pkg-config --libs drx` prints. drx(3) is the manual page,
 * docs/C.md the guide.
 *
 *     drx_array a;
 *     int64_t shape[] = {0, 512, 512}, lo[3], hi[3];
 *     if (drx_create("radar", DRX_INT16, 3, shape, "{\"dims\": [\"time\", \"y\", \"x\"]}", &a) ||
 *         drx_extend(a, 0, 1, DRX_HIGH, 3, lo, hi) ||
 *         drx_write(a, 3, lo, hi, NULL, DRX_INT16, image, sizeof image, NULL) ||
 *         drx_close(a))
 *             fprintf(stderr, "%s\n", drx_error());
 *
 * RESULTS. Unless its comment says otherwise, a function returns DRX_OK, which is 0, or one of the
 * codes DRX_E...; drx_error() is then a message of one line, which names the file, the dimension,
 * the value and the limit. After an error the variables for results are undefined, except that a
 * handle is 0 and a string is NULL. A pointer for a result may be NULL if the result is not wanted,
 * except for that of a new handle.
 *
 * HANDLES. A drx_array or a drx_dataset is a number, and 0 is none. After the array is closed its
 * number is not used again for a very long time, so that a call with it returns DRX_ECLOSED. Any
 * other number gives DRX_EHANDLE.
 *
 * THREADS. Any number of threads may call at the same time, for the same array too. drx_error()
 * belongs to the thread.
 *
 * TEXT is UTF-8 and ends in a NUL. Strings that a function allocates are freed by drx_free. JSON is
 * as docs/JSON.md specifies. Options are a JSON object; NULL and "" mean the default of every
 * option, an unknown option is an error.
 *
 * SECTIONS. A section has, per dimension, the indices lo, lo+step, ... below hi. Indices are those
 * of the array: after growth on the low side they are negative, and never count from the end. lo,
 * hi and step are arrays of rank numbers. lo == NULL means the low bounds of the array, hi == NULL
 * the high ones, step == NULL steps of 1. Steps are positive. rank must be the number of dimensions
 * of the array (DRX_ERANK).
 *
 * BUFFERS of the host. The element at position p of a section is at the address
 *     (char *)buf + p[0]*strides[0] + ... + p[rank-1]*strides[rank-1].
 * strides are in bytes, may be negative or 0, and need not be multiples of the element's size.
 * strides == NULL means dense and row-major; drx_strides() computes the strides of other orders,
 * such as Fortran's. size is the number of bytes from the lowest to the highest byte that the call
 * may touch: with strides == NULL it must be exactly the size of the section, otherwise at least
 * the span of the strides (DRX_ESIZE). DRX_UNCHECKED skips that check. A call that reads from the
 * array must not write the same byte twice: the strides of dimensions with several positions,
 * ordered by their amounts, must each be at least the span of the smaller ones (DRX_ESIZE
 * otherwise). A call that writes to the array may use a stride of 0, which repeats elements.
 *
 * TYPES. dtype is the type of the elements in the buffer, in the byte order of the machine. If it
 * differs from the array's, the elements are converted, but only where every value of the source's
 * type is a value of the other: int16 to float32, but not int32 to float32 (DRX_EDTYPE). An array
 * that was opened or created with the option "clip" accepts elements of every type, and stores the
 * nearest value of its own type; only complex numbers are not converted to real ones. DRX_RAW means
 * the elements of the array as the file has them: little-endian, of the array's type.
 *
 * CALLBACKS are called by the thread that made the call. They may call any function of this
 * library, also for the same array, except for drx_close, drx_discard, drx_dataset_close and
 * drx_dataset_discard of the call's own array or dataset: these return DRX_EBUSY. A callback that
 * returns nonzero ends the call soon, which returns DRX_ECANCELLED. A callback must return: longjmp
 * and exceptions of C++ must not leave it.
 *
 * fork. The library does not work in a child process made by fork(): every call returns DRX_EFORK
 * there, and the child must not touch the parent's arrays. Call exec in the child, as system() and
 * posix_spawn() do, or make the processes before the library is loaded.
 *
 * SIGNALS. The library handles none that the program handles: see drx_signals().
 */
#ifndef DRX_H
#define DRX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Codes ----------------------------------------------------------------------------------- */

/* The numbers never change; later versions may add others. */
enum {
	DRX_OK = 0,
	DRX_EHANDLE = 1,      /* no handle of this library, or one of another kind */
	DRX_ECLOSED = 2,      /* the array or dataset was closed */
	DRX_EINVAL = 3,       /* an argument that is never valid: NULL, an unknown option, JSON with a mistake */
	DRX_ERANK = 4,        /* a wrong number of dimensions, or a dimension that does not exist */
	DRX_EBOUNDS = 5,      /* an index, a section or an extent outside of its limits */
	DRX_EOVERFLOW = 6,    /* sizes that cannot be counted in 64 bits */
	DRX_EDTYPE = 7,       /* a wrong element type, or a value that does not fit it */
	DRX_ESIZE = 8,        /* a buffer of the wrong size, or strides that do not fit it or overlap */
	DRX_EREADONLY = 9,    /* a change of an array that is not open for it */
	DRX_ELOCKED = 10,     /* somebody else has the array open for writing */
	DRX_EVERSION = 11,    /* written by a newer version of DRX */
	DRX_ECORRUPT = 12,    /* a file does not hold what was written to it */
	DRX_EINCOMPLETE = 13, /* the target of a copy that is not complete */
	DRX_ENOTEXIST = 14,   /* no such array, dataset or file */
	DRX_EEXIST = 15,      /* the name is taken */
	DRX_EPERM = 16,       /* the file system does not permit it */
	DRX_ENOSPC = 17,      /* the disk or the quota is full */
	DRX_EIO = 18,         /* any other error of the file system */
	DRX_ENOATTR = 19,     /* no such attribute */
	DRX_EMEMORY = 20,     /* not enough memory, or none that a bound on memory allows */
	DRX_EMISMATCH = 21,   /* a copy that is to be resumed was another copy */
	DRX_EDATASET = 22,    /* a variable, dimension or group that the dataset does not have, or that contradicts it */
	DRX_EVALUE = 23,      /* a condition of a selection with a mistake, or without an index */
	DRX_ECANCELLED = 24,  /* a callback returned nonzero */
	DRX_EBUSY = 25,       /* a callback closes what its own call works on */
	DRX_EFORK = 26,       /* called in a child process made by fork */
	DRX_EINTERNAL = 27,   /* an address where no memory is, or a fault of this library: then please report it with the message */
	DRX_ESTALE = 28,      /* the file system shows an old state of a file that others have changed: try again */
	DRX_EFENCED = 29,     /* another process has taken the lock over: nothing that was not committed by then is stored; open the array again */
	DRX_EGONE = 30        /* elements of an earlier commit that were overwritten or dropped since, or that cannot be told from later ones */
};

/* drx_error returns the message of the last call of this thread that failed, "" if none has. It is
 * never NULL. The text is valid until the next call of this thread that fails. */
const char *drx_error(void);

/* drx_code_name returns the name of a code, as "DRX_EBOUNDS", or "unknown code". */
const char *drx_code_name(int code);

/* drx_version returns the version of the library, as "v1.2.0". */
const char *drx_version(void);

/* DRX_ABI is the number of the interface that this header describes. drx_abi returns that of the
 * library: it has all functions of this header if it is not less than DRX_ABI. */
#define DRX_ABI 1
int drx_abi(void);

/* drx_set_memory limits the memory for elements of all arrays together that are opened without the
 * option "cache", in bytes: for chunks in memory and for resident pages of mapped files. It takes
 * effect at once. 0 means a quarter of the memory that the process can use: that of the machine, or
 * of a control group around the process, whichever is less. *before, unless before is NULL, gets
 * the previous limit. */
int drx_set_memory(int64_t bytes, int64_t *before);

/* drx_set_locks says how writers keep each other out, for all arrays that this process opens from
 * now on: by the locks of the system ("system"), by lock files beside the arrays ("file"), or by
 * lock files where the locks of the system may be local to a machine or a mount, as on NFS and FUSE
 * ("auto", the default). All processes that write to the same arrays must agree. docs/PROMISES.md
 * has a table of file systems. DRX_EINVAL for anything else. */
int drx_set_locks(const char *kind);

/* drx_free frees a string that a function of this library has allocated. NULL is allowed. */
void drx_free(void *text);

/* drx_signals puts the library's handler of SIGSEGV, SIGBUS and SIGFPE before the present ones of
 * the program, and lets the program's handlers of all signals run on an alternate stack
 * (SA_ONSTACK), if the thread has one.
 *
 * It is for programs that install handlers of their own after the library is loaded. The library
 * reads files in memory, where another program that cuts a file short causes SIGBUS. The library's
 * handler turns that into DRX_EIO or DRX_ECORRUPT, and passes every signal that the library did not
 * cause on to the program's handler. Without this call the program's later handler gets all. A
 * handler that was there when the library was loaded needs no call. drx_open and drx_create set
 * SA_ONSTACK by themselves, because a handler that runs on the small stacks of Go would overwrite
 * memory. The library's own threads block the other signals, so that the program's threads get
 * these, except for SIGCHLD, SIGPROF and SIGURG, which any thread of the process may get. */
int drx_signals(void);

/* ---- Element types --------------------------------------------------------------------------- */

enum {
	DRX_RAW = 0, /* in a call: elements of the array's type, little-endian */
	DRX_BOOL = 1, /* one byte, 0 or 1 */
	DRX_INT8 = 2,
	DRX_INT16 = 3,
	DRX_INT32 = 4,
	DRX_INT64 = 5,
	DRX_UINT8 = 6,
	DRX_UINT16 = 7,
	DRX_UINT32 = 8,
	DRX_UINT64 = 9,
	DRX_FLOAT16 = 10,  /* IEEE 754 binary16 */
	DRX_BFLOAT16 = 11, /* the upper half of a float32 */
	DRX_FLOAT32 = 12,
	DRX_FLOAT64 = 13,
	DRX_COMPLEX64 = 14, /* two float32: the real part first */
	DRX_COMPLEX128 = 15
};

/* drx_dtype_name returns the name of a type, as "int16"; NULL if there is no such type. */
const char *drx_dtype_name(int dtype);

/* drx_dtype_size returns the bytes of an element; 0 if there is no such type. */
size_t drx_dtype_size(int dtype);

/* drx_dtype_parse returns the type with a name; DRX_RAW if there is none. */
int drx_dtype_parse(const char *name);

/* DRX_MAX_RANK is the largest number of dimensions. */
#define DRX_MAX_RANK 64

/* DRX_UNCHECKED is the size of a buffer whose size the caller answers for. */
#define DRX_UNCHECKED ((int64_t)-1)

/* drx_strides computes the strides in bytes of a dense buffer for a section with the given extents.
 * order has the dimensions from the slowest to the fastest varying one; NULL is row-major. With
 * {rank-1, ..., 0} the buffer is column-major, as in Fortran. Errors: DRX_EDTYPE, DRX_ERANK,
 * DRX_EBOUNDS, DRX_EOVERFLOW. */
int drx_strides(int dtype, int rank, const int64_t *shape, const int *order, int64_t *strides);

/* ---- Arrays by name -------------------------------------------------------------------------- */

/* A drx_array is an open array. */
typedef uint64_t drx_array;

/* A drx_progress receives the progress of a long call: done of total, in the unit that the
 * function names; total is -1 if it is unknown. It is called at the beginning, ten times a
 * second, even if nothing has moved, and at the end. Nonzero cancels the call. */
typedef int (*drx_progress)(void *user, int64_t done, int64_t total);

/* drx_exists sets *exists to 1 if there is an array with the name, otherwise to 0. Here and below a
 * name may have one of the extensions of the array's files. */
int drx_exists(const char *name, int *exists);

/* drx_remove removes an array with all its files. Errors: DRX_ENOTEXIST, DRX_ELOCKED if it is open
 * for writing. */
int drx_remove(const char *name);

/* drx_rename gives an array another name in the same file system. Errors: DRX_ENOTEXIST,
 * DRX_EEXIST, DRX_ELOCKED, DRX_EINVAL. */
int drx_rename(const char *old_name, const char *new_name);

/* drx_copy_files copies the files of an array to another name, as they are, into any file system.
 * progress counts bytes and may be NULL. Errors: those of drx_rename, DRX_ECANCELLED. */
int drx_copy_files(const char *old_name, const char *new_name, drx_progress progress, void *user);

/* drx_cut copies an array or a dataset src to dst without some indices of one dimension, as
 * `drx cut` does, and drx_sort with the indices in the order of the coordinate of dimension by, or
 * of its labels as text. All variables of a dataset that have the dimension change: elements,
 * coordinate, bounds, labels and attributes with a value for each index. src stays. The options
 * are:
 *     "sel": a list of conditions as drx_select has them, on one dimension; drx_cut leaves out what they select
 *     "method": how they take single values: "exact", the default here, "usual" or "nearest", as for drx_export
 *     "at": an object with the indices to leave out of a dimension, {"time": [3, 7]}: the first one, the last one plus 1, and
 *         a step, if it is not 1
 *     "plan": true copies nothing; *json then has "state": "planned"
 *     "resume": true continues a copy that was interrupted, if src has not changed, and begins one if there is none
 *     "memory": bytes of the buffer; default 64 MiB
 * "sel", "method" and "at" are of drx_cut only. progress counts bytes. *json is what
 * `drx cut --json` prints. A dataset appears when it is complete; after a call that a callback has
 * ended, what was copied stays for "resume". Errors: DRX_EVALUE and DRX_EDATASET for the selection
 * and the order, DRX_ERANK, DRX_EBOUNDS, DRX_EINVAL, DRX_EEXIST, DRX_ENOTEXIST, DRX_EMISMATCH,
 * DRX_ELOCKED, DRX_ECANCELLED. */
int drx_cut(const char *src, const char *dst, const char *options, drx_progress progress, void *user, char **json);
int drx_sort(const char *src, const char *dst, const char *by, const char *options, drx_progress progress, void *user, char **json);

/* drx_coarsen makes the dataset dst of an array or a dataset src, in which each window of
 * consecutive indices has become one, in all variables that have its dimension, as `drx coarsen`
 * does. The options are:
 *     "windows": an object with the size of a window for each of some dimensions, a number of indices, or a period of times
 *         as text: {"lat": 4, "lon": 4, "time": "1D"}; required
 *     "func": the statistic of a window, one of drx_stats; default "mean"
 *     "boundary": what becomes of indices that fill no window: "exact", the default, refuses, "trim", "pad"
 *     "memory": bytes of buffers, at least 32 MiB; default 256 MiB
 * drx_regrid makes a dataset with values at other coordinates, as `drx regrid` does. The options
 * are:
 *     "to": the coordinates: the name of a dataset or an array; text as "lat=-90:90:1,time=2020-01-01:2020-02-01:6h"; or an
 *         object with a list for each dimension of numbers, dates and steps, which are text: {"lat": [0, 0.5], "lon": ["0:360:1"]};
 *         required
 *     "dims": the dimensions of that dataset or array that count, a list; default all
 *     "method": "nearest", "linear", the default, or "mean"
 *     "memory": as for drx_coarsen
 * progress counts elements of dst. *json is what `drx coarsen --json` prints. dst appears when it
 * is complete; after an error, also DRX_ECANCELLED, there is none. Errors: DRX_ENOTEXIST,
 * DRX_EEXIST, DRX_EINVAL, DRX_EBOUNDS, DRX_EDATASET, DRX_EVALUE, DRX_EDTYPE, DRX_EOVERFLOW,
 * DRX_ECANCELLED. */
int drx_coarsen(const char *src, const char *dst, const char *options, drx_progress progress, void *user, char **json);
int drx_regrid(const char *src, const char *dst, const char *options, drx_progress progress, void *user, char **json);

/* drx_diff compares two arrays, datasets or files of other formats by what their elements mean,
 * variable by variable, as `drx diff` does. The options are:
 *     "var": a list of names of variables; default all
 *     "data": true compares values alone: no attributes, types, names and bounds
 *     "atol", "rtol": a of the first and b of the second are the same if |a-b| <= atol + rtol*|b|; default 0
 *     "memory", "bridge", "caller": as for drx_import
 * progress counts bytes of the first. *json is what `drx diff --json` prints: "same" is false if
 * they differ, which is no error. What was not committed is not seen. Errors: DRX_ENOTEXIST,
 * DRX_EINVAL, DRX_ECORRUPT, DRX_EMEMORY, DRX_ECANCELLED or the file system's. */
int drx_diff(const char *first, const char *second, const char *options, drx_progress progress, void *user, char **json);

/* drx_list sets *json to {"arrays": [...], "folders": [...]}: the names in a folder, sorted. */
int drx_list(const char *folder, char **json);

/* drx_recover copies the intact parts of a damaged array to a new one, and sets *report to the
 * report of `drx recover --json`. unchecked != 0 also copies chunks that cannot be checked.
 * progress counts chunks. */
int drx_recover(const char *name, const char *new_name, int unchecked, drx_progress progress, void *user, char **report);

/* drx_accept_loss makes a damaged array writable again, without its lost parts. */
int drx_accept_loss(const char *name);

/* ---- Creating, opening, closing -------------------------------------------------------------- */

/* The ways to open. */
enum {
	DRX_READ = 0,  /* read; others may write meanwhile, and drx_refresh shows what they have committed */
	DRX_WRITE = 1, /* read and change; one at a time */
	DRX_SHARED = 2 /* write elements beside other processes, chunk by chunk, and grow by drx_reserve */
};

/* drx_open opens an array. The options are:
 *     "cache": bytes of memory for chunks and mapped pages; default: a part of drx_set_memory's
 *     "goroutines": threads that one call may use; default the number of processors
 *     "durability": "full", "nojournal" or "none": what drx_sync does so that the array survives a crash
 *     "checking": "first", "always" or "never": when chunks are compared with their checksums
 *     "incomplete": true also opens the target of a copy that is not complete
 *     "clip": true stores elements of another type as the nearest that the array's type has, and NaN in integers as the fill value
 *     "round": true rounds the floating-point numbers that are written to an array with the attribute of netCDF's
 *         quantize, to the digits or bits that it says: what is rounded stays so. Without it they are stored as they are
 *     "commit": opens the array as it was after this commit, for reading: a number from 1, what drx_snapshot returns, or "last"
 *     "wait": seconds to wait for another process that has a lock, before DRX_ELOCKED; default 0
 * Errors: DRX_ENOTEXIST, DRX_ELOCKED, DRX_EINCOMPLETE, DRX_EVERSION, DRX_ECORRUPT, DRX_EINVAL or
 * the file system's. */
int drx_open(const char *name, int mode, const char *options, drx_array *a);

/* drx_create makes a new array, durably, and opens it for writing. shape has rank extents, which
 * may be 0. The options are those of drx_open without "commit", and:
 *     "lo": low bounds, a list; default zeros
 *     "chunk": extents of a chunk, a list; default about 1 MiB
 *     "order": "row", "col", "morton" or "hilbert": the order of the elements inside a chunk in the file
 *     "fill": value of elements that were never written: a number, true, false, or text as "NaN"; default 0
 *     "dims": names of the dimensions, a list of text
 *     "align": every chunk begins at a multiple of this number of bytes in the file
 *     "digits", "bits": the array gets the attribute of netCDF's quantize, and floating-point numbers that are written
 *         are rounded as for drx_import, until it, or its dataset, is closed; after that "round" of drx_open does the same
 *     "codec": compresses chunks: "zstd:3", "lz4", "blosc:zstd:5:shuffle" or alike; default "none"
 *     "attrs": attributes, an object
 *     "source": the array from which this one is made: nobody gets a permission that this one does not give
 * Errors: DRX_EEXIST, DRX_EDTYPE, DRX_ERANK, DRX_EBOUNDS, DRX_EOVERFLOW, DRX_EINVAL or the file
 * system's. */
int drx_create(const char *name, int dtype, int rank, const int64_t *shape, const char *options, drx_array *a);

/* drx_sync commits all changes: they are durable, and others see them. */
int drx_sync(drx_array a);

/* drx_close commits all changes and closes the array. If the commit fails, the array is closed all
 * the same. Without drx_close the changes since the last drx_sync are lost when the process ends.
 * An array of a dataset is closed by drx_dataset_close only (DRX_EINVAL). */
int drx_close(drx_array a);

/* drx_discard closes the array without a commit: the changes since the last drx_sync are lost. */
int drx_discard(drx_array a);

/* ---- What an array is ------------------------------------------------------------------------ */

/* drx_rank returns the number of dimensions, drx_dtype the element type. */
int drx_rank(drx_array a, int *rank);
int drx_dtype(drx_array a, int *dtype);

/* drx_bounds returns the present bounds [lo, hi), which have rank entries each. Those of a variable
 * of a dataset are the ones that readers of the dataset see. */
int drx_bounds(drx_array a, int rank, int64_t *lo, int64_t *hi);

/* drx_chunk returns the extents of a chunk, in elements. */
int drx_chunk(drx_array a, int rank, int64_t *chunk);

/* drx_dim returns the number of the dimension with a name, or with a number as text. */
int drx_dim(drx_array a, const char *name, int *dim);

/* drx_dim_name returns the name of a dimension, "" if it has none. */
int drx_dim_name(drx_array a, int dim, char **name);

/* drx_name returns the name by which the array was opened. */
int drx_name(drx_array a, char **name);

/* drx_mode returns how the array is open: DRX_READ, DRX_WRITE or DRX_SHARED. */
int drx_mode(drx_array a, int *mode);

/* drx_fill_value stores the value of elements that were never written as one element of the given
 * type. */
int drx_fill_value(drx_array a, int dtype, void *value);

/* drx_info returns what `drx info --json` prints: type, bounds, history, sizes in bytes,
 * attributes. */
int drx_info(drx_array a, char **json);

/* drx_history returns the committed changes, as `drx log --json` prints them. */
int drx_history(drx_array a, char **json);

/* drx_snapshot returns the commit that the array shows, for "commit" of drx_open, in any process:
 * its number and the digits of its line in the log. All that open it read the same elements, or get
 * DRX_EGONE for chunks that were overwritten or dropped since. */
int drx_snapshot(drx_array a, char **text);

/* drx_labels returns the labels of a dimension: {"first": index of the first label, "labels":
 * [...]}. */
int drx_labels(drx_array a, int dim, char **json);

/* drx_set_labels replaces the labels of a dimension by those of a JSON list, beginning at the low
 * bound. */
int drx_set_labels(drx_array a, int dim, const char *json);

/* ---- Growing and shrinking ------------------------------------------------------------------- */

enum {
	DRX_HIGH = 0, /* above the highest index */
	DRX_LOW = 1   /* below the lowest index */
};

/* drx_extend adds by elements to a dimension, and sets lo and hi, of rank entries
 * each, to the new section. Both may be NULL. No element changes its index; the new ones have the
 * fill value. The growth is durable with drx_sync. Errors: DRX_ERANK, DRX_EBOUNDS if by < 1,
 * DRX_EOVERFLOW, DRX_EREADONLY. */
int drx_extend(drx_array a, int dim, int64_t by, int side, int rank, int64_t *lo, int64_t *hi);

/* drx_reserve is drx_extend for an array that is open with DRX_SHARED: the new section belongs to
 * the caller, who may write to it while other processes write to theirs. It is committed at
 * once. */
int drx_reserve(drx_array a, int dim, int64_t by, int side, int rank, int64_t *lo, int64_t *hi);

/* drx_reserve_key is drx_reserve, but sets lo and hi to the same section whenever the key is the
 * same, whichever process calls it, also after one that was killed: a task that is tried again does
 * not append twice. drx_compact forgets keys. Errors: those of drx_reserve, DRX_EINVAL for a key
 * that is empty or was used for another extension, DRX_ELOCKED if another process with the section
 * has the array open still, DRX_EBOUNDS if the section was removed. */
int drx_reserve_key(drx_array a, const char *key, int dim, int64_t by, int side, int rank, int64_t *lo, int64_t *hi);

/* drx_shrink removes the by highest or lowest indices of a dimension. */
int drx_shrink(drx_array a, int dim, int64_t by, int side);

/* drx_add_dim adds a last dimension of extent 1. name may be NULL. */
int drx_add_dim(drx_array a, const char *name, int *dim);

/* drx_rename_dim gives a dimension another name, which may be "" for none; no element moves. The
 * attribute cell_methods follows. It is durable with drx_sync. Errors: DRX_ERANK, also for a name
 * that another dimension has, DRX_EREADONLY, DRX_EINVAL for an array of a dataset, see
 * drx_dataset_rename. */
int drx_rename_dim(drx_array a, int dim, const char *name);

/* drx_compact commits and rewrites the files as if the array had been created as it is now.
 * progress counts chunks. */
int drx_compact(drx_array a, drx_progress progress, void *user);

/* drx_recompress commits and gives the array another codec, as "codec" of drx_create: its chunks
 * are stored anew in the same file, with a commit after each 64 MiB. "none" decompresses them;
 * "auto" tries some codecs on up to eight chunks, and drx_info has the one that was chosen.
 * Elements, bounds and history stay the same, and others can read meanwhile. An array whose
 * recompression was ended, by a callback, an error or a kill, is valid, with chunks of several
 * codecs: the same call goes on from there. An array that has the codec is left as it is. progress
 * counts chunks. Errors: DRX_EINVAL if there is no such codec or the array belongs to a dataset,
 * DRX_EREADONLY, DRX_ECORRUPT, DRX_ECANCELLED or the file system's. */
int drx_recompress(drx_array a, const char *codec, drx_progress progress, void *user);

/* ---- Elements -------------------------------------------------------------------------------- */

/* drx_read reads a section into a buffer of the host. Errors: DRX_ERANK, DRX_EBOUNDS, DRX_ESIZE,
 * DRX_EDTYPE, DRX_ECORRUPT, DRX_EINVAL for a buffer that is NULL and a section that is not empty.
 * After an error parts of the buffer may have changed. If neither a type is converted nor a stride
 * negative, the elements go from the file's pages to the buffer without another copy; otherwise
 * they pass through one of at most 4 MiB, or one chunk. */
int drx_read(drx_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides);

/* drx_write writes a section from a buffer of the host. Errors are those of drx_read, and
 * DRX_EREADONLY. After an error some chunks may have been written. */
int drx_write(drx_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides);

/* drx_fill sets all elements of a section to one value of the given type. */
int drx_fill(drx_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *value);

/* drx_get reads one element, drx_set changes one. index has rank numbers. */
int drx_get(drx_array a, int rank, const int64_t *index, int dtype, void *value);
int drx_set(drx_array a, int rank, const int64_t *index, int dtype, const void *value);

/* drx_gather reads n single elements into a dense buffer: element i has the index indices[i*rank]
 * ... indices[i*rank + rank-1]. drx_scatter changes n elements; of several values for one index the
 * last counts. */
int drx_gather(drx_array a, int rank, int64_t n, const int64_t *indices, int dtype, void *buf);
int drx_scatter(drx_array a, int rank, int64_t n, const int64_t *indices, int dtype, const void *buf);

/* ---- Attributes ------------------------------------------------------------------------------ */

/* drx_attrs returns all attributes as a JSON object; drx_attr one value as JSON (DRX_ENOATTR if
 * there is none). */
int drx_attrs(drx_array a, char **json);
int drx_attr(drx_array a, const char *name, char **json);

/* The same for a value of a type: DRX_EDTYPE if the attribute has another one, or a number does not
 * fit. */
int drx_attr_int(drx_array a, const char *name, int64_t *value);
int drx_attr_double(drx_array a, const char *name, double *value);
int drx_attr_text(drx_array a, const char *name, char **value);

/* drx_set_attr sets an attribute to a JSON value. It is durable with drx_sync. drx_set_attr_double
 * refuses NaN and infinities, which JSON does not have (DRX_EINVAL). */
int drx_set_attr(drx_array a, const char *name, const char *json);
int drx_set_attr_int(drx_array a, const char *name, int64_t value);
int drx_set_attr_double(drx_array a, const char *name, double value);
int drx_set_attr_text(drx_array a, const char *name, const char *value);

/* drx_delete_attr removes an attribute, if it exists. */
int drx_delete_attr(drx_array a, const char *name);

/* ---- Reading what others write --------------------------------------------------------------- */

/* drx_refresh updates an array that is open for reading to the last commit. *changed is 1 if bounds
 * or attributes have changed. It does nothing for an array that is open for writing. */
int drx_refresh(drx_array a, int *changed);

/* drx_poll waits until a writer has committed changes, but at most timeout seconds (0: not at all;
 * negative: without end), refreshes the array, and sets *json to the list of the changes as
 * drx_history has them: "[]" if there were none. The array must be open with DRX_READ. */
int drx_poll(drx_array a, double timeout, char **json);

/* A drx_change_fn receives one change, which is a JSON object as in drx_history. Nonzero ends
 * drx_follow. */
typedef int (*drx_change_fn)(void *user, const char *change);

/* drx_follow calls f for every change that a writer commits, in their order; the array has been
 * refreshed by then. It returns DRX_ECANCELLED after f has returned nonzero, and DRX_OK after
 * timeout seconds (negative: never). */
int drx_follow(drx_array a, double timeout, drx_change_fn f, void *user);

/* ---- Walking, verifying, copying ------------------------------------------------------------- */

/* A drx_part_fn receives one part of an array: its section [lo, hi), and the number of its
 * chunk, -1 for a tile that is no chunk. Nonzero ends the walk. */
typedef int (*drx_part_fn)(void *user, int rank, const int64_t *lo, const int64_t *hi, int64_t number);

/* drx_walk calls f for the parts into which a section is divided: chunks in the order of the file
 * or, if tile is not NULL, tiles of these extents, in the order of their indices; an extent of 0 is
 * all of a dimension. With written != 0 parts without a chunk that was ever written are left out.
 * The walk uses the bounds at its beginning. */
int drx_walk(drx_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *tile, int written, drx_part_fn f, void *user);

/* drx_verify compares every written chunk with its checksum. It returns DRX_ECORRUPT if something
 * is damaged. *report, which is set in that case as well, is the output of `drx verify --json`.
 * progress counts written chunks. */
int drx_verify(drx_array a, drx_progress progress, void *user, char **report);

/* drx_relayout copies the array src, or a section of it, into dst, which has another chunk shape,
 * type or order of its dimensions, in bounded memory, and commits. Numbers become the nearest ones
 * of the new type. The options are:
 *     "order": a list; dimension d of dst is dimension order[d] of src
 *     "lo", "hi": the section; lists
 *     "memory": bytes of all buffers; default 256 MiB
 *     "clip": true gives elements that do not fit the nearest value that does; otherwise they are an error
 *     "resume": true continues a copy that was interrupted in dst, which is opened with the option "incomplete"
 *     "tempdir": folder for temporary arrays; default that of dst
 *     "digits", "bits": round floating-point data to this number of significant digits, or of bits of the fraction, as
 *         netCDF's quantize does; dst gets its attribute
 * progress counts bytes. *stats has "bytes_read", "bytes_written", "passes", "peak_memory" and
 * "seconds". Errors: DRX_EBOUNDS, DRX_ERANK, DRX_EDTYPE, DRX_EINCOMPLETE, DRX_EMISMATCH,
 * DRX_EMEMORY, DRX_ECANCELLED. */
int drx_relayout(drx_array dst, drx_array src, const char *options, drx_progress progress, void *user, char **stats);

/* drx_stats computes statistics of an array, in one pass and in bounded memory; see
 * docs/STATISTICS.md. The options are:
 *     "functions": a list of count, missing, sum, mean, std, var, min, max, median, first, last, argmin, argmax, and
 *         percentiles, as p90; required
 *     "over": the dimensions to reduce, a list of names or numbers as text; default all, or none besides "group_dim"
 *     "select": conditions of drx_select, which choose elements
 *     "by": year, quarter, season, month, dayofyear, day or hour, or a level of labels, several as year/month; or
 *         "every": a period, as 6h, 1D, 1M, or a number of indices as text;
 *         or "rolling": a number of indices: a result for each group, period or window of the dimension "group_dim", which
 *         stays; or "groups": an object with the group of each label, and then "by" is the name of the groups
 *     "windows": an object with a number of indices for each of some dimensions, as {"lat": 4, "lon": 4}: a result for
 *         each combination of windows of so many indices, without "groups"
 *     "area": true weighs by the area of cells, by their latitude
 *     "ddof": the divisor of variances is the count minus this number; default 0
 *     "memory": bytes of buffers; default 256 MiB
 *     "binary": true gives values as base64 of 8 bytes each, little-endian, instead of numbers
 *     "out": the name of a new array or dataset for the results, with their coordinates, as `drx stats -o` makes it; *json
 *         then has its "dataset", if it is one, and "statistics", the names of the arrays
 * progress counts elements. *json has "dims" and "shape" of the result, "groups", "counts", the
 * numbers of elements that the results were computed from, and "statistics", a list with "name",
 * "dtype" (int64, uint64 or float64) and "values", row-major, null if computed from no element;
 * with "binary" "data", and "counts_data" has bytes, 0 where there was no element. Errors:
 * DRX_EINVAL, DRX_ERANK, DRX_EDTYPE, DRX_EOVERFLOW, DRX_EVALUE, DRX_ECORRUPT, DRX_ECANCELLED,
 * DRX_EEXIST. */
int drx_stats(drx_array a, const char *options, drx_progress progress, void *user, char **json);

/* drx_select returns the indices that conditions select: a JSON list with one entry per dimension,
 * which is a list of ranges [lo, hi, step] in their order. conditions have the form of `drx read
 * --sel`, such as "time=2013-01..2013-02,lat=50.2"; see docs/DATASETS.md. exact determines which
 * indices a single value of a coordinate selects: 0 the nearest number, or all times of the year,
 * month, day, hour or minute that a date names; 1 equal numbers, or the same times; 2 the index
 * nearest to a number, or to the beginning of the period that a date names. Errors: DRX_EVALUE,
 * DRX_ERANK, DRX_EDATASET, DRX_EINVAL. */
int drx_select(drx_array a, const char *conditions, int exact, char **json);

/* drx_select_points returns which dimensions the same conditions reduce to one index, for hosts
 * whose arrays lose dimensions: a JSON list of true and false. These are the dimensions with one
 * label, one number, or a date that is as fine as the times of the coordinate; a coarser date names
 * a span, which may have any number of times. Errors are those of drx_select. */
int drx_select_points(drx_array a, const char *conditions, int exact, char **json);

/* ---- What numbers mean ----------------------------------------------------------------------- */

/* drx_meaning_compare reports whether elements of one variable can be stored as elements of another
 * without losing their meaning: packing, missing values, units, calendar and flags. from and to
 * describe the two variables, as JSON objects: "dtype" is the name of the type; "fill" is the value
 * of elements never written, if it is known; "attrs" are the attributes, of which only those of the
 * CF conventions count; "parent" are the attributes of the variable whose bounds this variable has.
 * The options are:
 *     "rule": how far values may change. "exact": not at all, but for the step of a packed target, and the digits of a
 *         floating-point one after arithmetic; "values": the same, but the type need not have all values of the other,
 *         only those that are converted, and floating-point numbers become the nearest ones of a narrower type; "nearest":
 *         numbers are rounded; "clip": one out of range becomes the nearest that fits. Default "exact"
 *     "target": a name for to in messages; default "the target"
 *     "significant_digits", "quantize_mode": only of drx_meaning_convert, which then rounds the converted elements, in
 *         netCDF's modes "BitGroom", the default, "GranularBitRound" or "BitRound", which counts bits
 * *json has "same", true if elements may be moved as they are; unless these are times, "factor" and
 * "shift": a value x in the units of from is x*factor + shift in those of to; and "note", a
 * sentence for people about what changes, or "". Where the valid range (valid_min, valid_max,
 * valid_range) is another, "valid" is a sentence about it: values outside are still values.
 * DRX_EDTYPE: they mean something else, and the message names both meanings and what to do. */
int drx_meaning_compare(const char *from, const char *to, const char *options, char **json);

/* drx_meaning_convert converts n elements, in the byte order of the machine and without strides, as
 * drx_meaning_compare says. converted has room for n elements and shares no memory with elements.
 * DRX_EDTYPE, also for a value that does not fit, which the message names with its position; then
 * some elements may have been converted. DRX_EINVAL for digits that the type of to does not have,
 * as integers. */
int drx_meaning_convert(const char *from, const char *to, const char *options, int64_t n, const void *elements, void *converted);

/* ---- Files of other formats ------------------------------------------------------------------ */

/* drx_import imports n files of other formats into dst: a new array, a new dataset if the first
 * file has several variables or coordinates, or an existing one, which grows. It does the same as
 * `drx import`, and the options are its flags; docs/FORMATS.md describes the results. With "append"
 * the files may also be arrays and datasets of DRX, which are joined along the dimension with their
 * coordinates and labels:
 *     "var": a list of names of variables, with their coordinates; "alone": true leaves these out
 *     "append", "coordinate", "low", "widen", "any-order": growth along a dimension, by the extent of each file
 *     "format": name of the format; default by the file
 *     "as", "clip", "unscale", "expand": conversion of the elements
 *     "chunk": extents of a chunk; a list; "codec": compresses the chunks of new arrays, as for drx_create, or
 *     with "none" does not; default by the compression of the file
 *     "digits", "bits": round floating-point data to this number of significant digits, or of bits of the fraction
 *     "resume": true continues an import that was interrupted, with the options with which it began
 *     "memory": bytes; default 256 MiB
 *     "bridge": the file of the program drx-bridge, which reads and writes HDF5, NetCDF, FITS, MAT, Parquet and the formats
 *         of GDAL, from now on in this process; default the variable DRX_BRIDGE as it was when the library was
 *         loaded, beside the program, or on the PATH
 *     "caller": "python" makes errors call options as drx.import_file of Python does; default as they are here
 * progress counts bytes. *json is the output of `drx import --json`, with "notes" for people. dst
 * must not be open for writing. A call that a callback has ended, or that fails later on, leaves a
 * valid array or dataset, and "resume" continues it; an invalid file leaves nothing new. Errors:
 * DRX_EINVAL for options and for files of no known format, DRX_EEXIST, DRX_ENOTEXIST also without
 * drx-bridge, DRX_EDTYPE, DRX_EBOUNDS, DRX_EDATASET for a variable that the file does not have,
 * DRX_EMEMORY, DRX_ELOCKED, DRX_ECANCELLED, DRX_EIO also for a damaged file. */
int drx_import(const char *dst, int n, const char *const *files, const char *options, drx_progress progress, void *user, char **json);

/* drx_export writes the array or dataset src, as it was committed, to the file dst of another
 * format, which must not exist, as `drx export` does. The options are:
 *     "var": a list of names of variables of a dataset
 *     "format": name of the format; default by the extension of dst
 *     "append": dimension along which the file can grow; one that exists is brought up to date
 *     "deflate": level of deflate, 1 to 9, or 0 for none; "codec": "none", or one of Zarr, as "zstd:9"; without
 *     both a file is compressed as programs of its format do
 *     "digits", "bits": as for drx_import
 *     "as", "clip": another type of the elements; "as-stored": true writes numbers whatever readers of the file make of them
 *     "sel": a list of conditions as drx_select has them; "method": "usual", "exact" or "nearest", as there
 *     "lo", "hi", "step": the section of an array; lists
 *     "alone": true writes an array of a dataset without its coordinates; "name": its name in the file
 *     "memory", "bridge", "caller": as for drx_import
 * progress counts bytes. *json is the output of `drx export --json`, with "notes". dst appears when
 * it is complete. Errors are those of drx_import, and DRX_EVALUE, DRX_ENOSPC. */
int drx_export(const char *src, const char *dst, const char *options, drx_progress progress, void *user, char **json);

/* The functions of section 7.3 of Nimako's thesis on extendible arrays. Instead of handles of the
 * HDF5 and NetCDF libraries they take a file and the path of a dataset, or of a variable, in it.
 * xtaHDFmap and xtaNetCDFmap make the array name from it, with its elements, attributes and names
 * of dimensions, but without coordinates, and open that with DRX_WRITE: it can be extended along
 * all dimensions. xtaHDFwrite and xtaNetCDFwrite commit the array and write it to a new file.
 * Chunked or not does not matter. They need drx-bridge; errors are those of drx_import and
 * drx_export. */
int xtaHDFmap(const char *file, const char *dataset, const char *name, drx_array *xta_hdf);
int xtaHDFwrite(drx_array xta_hdf, const char *file, const char *dataset);
int xtaNetCDFmap(const char *file, const char *variable, const char *name, drx_array *xta_ncdf);
int xtaNetCDFwrite(drx_array xta_ncdf, const char *file, const char *variable);

/* ---- Datasets: folders of arrays that share dimensions --------------------------------------- */

/* A drx_dataset is an open dataset. Calls for the same one wait for each other. */
typedef uint64_t drx_dataset;

/* drx_dataset_create makes an empty dataset and opens it for writing; drx_dataset_open opens one,
 * or any folder of arrays, with any mode; with DRX_SHARED elements of its variables can be written
 * and nothing else. The options are those of drx_open for the variables, without "commit". */
int drx_dataset_create(const char *folder, const char *options, drx_dataset *d);
int drx_dataset_open(const char *folder, int mode, const char *options, drx_dataset *d);

/* drx_dataset_sync commits all changes of all variables; readers see a dimension grow at one
 * moment. */
int drx_dataset_sync(drx_dataset d);

/* drx_dataset_close commits and closes the dataset with its variables, drx_dataset_discard closes
 * it without a commit. The handles of its arrays are closed too. */
int drx_dataset_close(drx_dataset d);
int drx_dataset_discard(drx_dataset d);

/* drx_dataset_refresh is drx_refresh for a dataset. */
int drx_dataset_refresh(drx_dataset d);

/* drx_dataset_release commits like drx_dataset_sync and closes the arrays of all variables with
 * their handles, for programs that go through many variables; drx_dataset_variable opens them
 * again. */
int drx_dataset_release(drx_dataset d);

/* drx_dataset_prepare makes all changes durable, but none visible, and closes the arrays of all
 * variables with their handles: the first phase of a commit. Other processes can open the arrays
 * then, as FOLDER/VARIABLE with DRX_SHARED, and write to the new parts of variables and to
 * variables created with "pending", while the dataset stays locked here. drx_dataset_sync and
 * drx_dataset_close show everything at one moment; drx_dataset_discard reverts it. */
int drx_dataset_prepare(drx_dataset d);

/* drx_dataset_info returns what `drx info FOLDER --json` prints: dimensions, bounds, variables,
 * groups, attributes. */
int drx_dataset_info(drx_dataset d, char **json);

/* drx_dataset_variable returns the array of a variable. It belongs to the dataset: its elements and
 * attributes may be changed, but its bounds only by drx_dataset_extend, and drx_dataset_close
 * closes it. */
int drx_dataset_variable(drx_dataset d, const char *name, drx_array *a);

/* drx_dataset_create_variable makes a variable, durably. If shape is NULL, the dimensions, which
 * the option "dims" must name, exist already and give rank, extents and low bounds; rank is then
 * ignored. The options are those of drx_create that describe the array, and "pending": with true
 * readers see the variable, and a group that is made for it, from the next drx_dataset_sync on,
 * together with all others that were made so; drx_dataset_discard removes them. a may be NULL. */
int drx_dataset_create_variable(drx_dataset d, const char *name, int dtype, int rank, const int64_t *shape, const char *options, drx_array *a);

/* drx_dataset_create_group makes a group of variables, durably. */
int drx_dataset_create_group(drx_dataset d, const char *group);

/* drx_dataset_extend grows a dimension in all variables that have it. [*lo, *hi) are the new
 * indices. */
int drx_dataset_extend(drx_dataset d, const char *dim, int64_t by, int side, int64_t *lo, int64_t *hi);

/* drx_dataset_rename gives a variable, a dimension, or a coordinate with its dimension another name
 * within its group, in one commit; no element moves. All variables with the dimension follow, and
 * the attributes that name what is renamed: coordinates, ancillary_variables, bounds, climatology,
 * grid_mapping, formula_terms, cell_measures and cell_methods. It first commits, and closes the
 * arrays of all variables with their handles, as drx_dataset_release does. Readers see the new
 * names at one moment, also after a crash. Errors: DRX_EDATASET if nothing has the name, DRX_EEXIST
 * if the new one is taken, DRX_EINVAL if it is none. */
int drx_dataset_rename(drx_dataset d, const char *name, const char *new_name);

/* drx_dataset_dim returns the bounds of a dimension, as readers see them. */
int drx_dataset_dim(drx_dataset d, const char *dim, int64_t *lo, int64_t *hi);

/* drx_dataset_coordinate returns the values of a dimension's coordinate for the indices [lo, hi):
 * numbers, scaled as its attributes say, or times in the coordinate's units. An index without a
 * value has NaN. */
int drx_dataset_coordinate(drx_dataset d, const char *dim, int64_t lo, int64_t hi, double *values);

/* drx_dataset_coordinate_text is the same for the values as text, in the form that drx_select
 * accepts: a JSON list. */
int drx_dataset_coordinate_text(drx_dataset d, const char *dim, int64_t lo, int64_t hi, char **json);

/* Attributes of a group, or with "" or NULL of the dataset. */
int drx_dataset_attrs(drx_dataset d, const char *group, char **json);
int drx_dataset_set_attr(drx_dataset d, const char *group, const char *name, const char *json);
int drx_dataset_delete_attr(drx_dataset d, const char *group, const char *name);

#ifdef __cplusplus
}
#endif

#endif /* DRX_H */
