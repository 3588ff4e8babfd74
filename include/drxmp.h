/* drxmp.h - DRX-MP for C: the arrays of drx.h, used by the processes of an MPI program together.
 *
 * Link with -ldrxmp, or with what `pkg-config --libs drxmp` prints; not with -ldrx as well:
 * libdrxmp has all of drx.h. drxmp(3) is the manual page, docs/MPI.md the guide.
 *
 *     drxmp_array a;
 *     int64_t shape[] = {64, 32}, lo[2], hi[2];
 *     MPI_Init(&argc, &argv);
 *     if (drxmp_create(MPI_COMM_WORLD, "plate", DRX_FLOAT64, 2, shape, "{\"chunk\": [16, 16]}", &a) ||
 *         drxmp_extend(a, 1, 16, DRX_HIGH, 2, lo, hi) ||
 *         drxmp_write_zone_all(a, DRX_FLOAT64, mine, size_of_mine) ||
 *         drxmp_close(a))
 *             fprintf(stderr, "%s\n", drx_error());
 *     MPI_Finalize();
 *
 * Results, handles, text, sections, buffers, types, fork and signals are as drx.h says.
 *
 * MPI. The program calls MPI_Init or MPI_Init_thread first, with any level of threads, and
 * MPI_Finalize after everything is closed (DRX_EINVAL otherwise). The library uses duplicates of
 * the communicator that it is given, never MPI_COMM_WORLD by itself. MPI is called on the thread
 * that makes the call. Below MPI_THREAD_MULTIPLE that must be the thread that has opened the array,
 * and the one that has started MPI (DRXMP_ETHREAD); then drxmp_start_read_all and
 * drxmp_start_write_all, which call MPI in the background, do not work: drxmp_wait returns
 * DRXMP_ETHREAD.
 *
 * COLLECTIVE calls are made by all processes of the communicator, in the same order, also across
 * arrays. If one has an error all get it, and nobody waits: the message names the process by its
 * rank ("proc 2: ..."). Processes that make different calls, or the same one with different
 * arguments that must be equal, get DRXMP_EDISAGREE. After a fault in one process all get
 * DRXMP_EFAILED. A process with a wrong handle gets the others out of their call as long as it uses
 * arrays of one communicator only. Functions that are not called collective concern this process
 * only.
 *
 * One writer: nothing that the processes have written counts before drxmp_sync or drxmp_close
 * commits it, all of it at once.
 *
 * ZONES. A distribution gives every chunk to one process: blocks in each dimension by default. The
 * zone of a process is the set of elements it owns. In a buffer its elements lie row-major in an
 * array of the extents that drxmp_zone returns; with a cyclic distribution it consists of several
 * boxes, whose indices follow each other there.
 */
#ifndef DRXMP_H
#define DRXMP_H

#include <mpi.h>

#include "drx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes besides those of drx.h. */
enum {
	DRXMP_EDISAGREE = 100, /* processes make different calls, or with different arguments */
	DRXMP_EFAILED = 101,   /* another process could not go on */
	DRXMP_ETIMEOUT = 102,  /* another process did not come */
	DRXMP_ETHREAD = 103    /* this thread must not call MPI */
};

/* A drxmp_array is an array that processes have open together, a drxmp_global one in their memory,
 * a drxmp_request a call in the background. 0 is none. */
typedef uint64_t drxmp_array;
typedef uint64_t drxmp_global;
typedef uint64_t drxmp_request;

/* DRXMP_ME stands for the calling process where a rank is wanted. */
enum { DRXMP_ME = -1 };

/* ---- Opening and closing --------------------------------------------------------------------- */

/* drxmp_create makes an array and opens it for writing, drxmp_open opens one, with DRX_READ or
 * DRX_WRITE; collective. The arguments are those of drx_create and drx_open, the same on all
 * processes. More options:
 *     "grid": processes per dimension; default is balanced
 *     "distribution": per dimension "block", "cyclic", "cyclic(3)" or "genblock(2 5)"; default blocks
 *     "engine": "direct", "mpiio" or "auto"; how collective calls move chunks
 *     "hints": an object with hints for MPI-IO */
int drxmp_create(MPI_Comm comm, const char *name, int dtype, int rank, const int64_t *shape, const char *options, drxmp_array *a);
int drxmp_open(MPI_Comm comm, const char *name, int mode, const char *options, drxmp_array *a);

/* drxmp_sync commits what all processes have changed, drxmp_close commits and closes, drxmp_discard
 * closes without a commit; collective. After an error of drxmp_close the array is closed all the
 * same. */
int drxmp_sync(drxmp_array a);
int drxmp_close(drxmp_array a);
int drxmp_discard(drxmp_array a);

/* drxmp_refuse joins the next collective call of the others for a process that cannot make it, as
 * one that has found a mistake in its own arguments. If they read or write, and what is "read" or
 * "write", all get DRX_EINVAL with the text why; otherwise all get DRXMP_EDISAGREE, with what. The
 * array works on. */
int drxmp_refuse(drxmp_array a, const char *what, const char *why);

/* drxmp_mpi returns the name and version of the MPI that the library works with, for programs that
 * load it at run time; before MPI_Init, too. */
int drxmp_mpi(char **version);

/* drxmp_terminate closes all global arrays and arrays, as drxmp_close does, in the order of
 * opening; collective. */
int drxmp_terminate(void);

/* ---- What an array is ------------------------------------------------------------------------ */

/* As drx_rank, drx_dtype, drx_bounds and drx_chunk. */
int drxmp_rank(drxmp_array a, int *rank);
int drxmp_dtype(drxmp_array a, int *dtype);
int drxmp_bounds(drxmp_array a, int rank, int64_t *lo, int64_t *hi);
int drxmp_chunk(drxmp_array a, int rank, int64_t *chunk);

/* drxmp_info returns a JSON object: name, dtype, shape, lo, hi, chunk, dims, fill, attrs, proc,
 * procs, grid, distribution, and zone, the boxes of this process. */
int drxmp_info(drxmp_array a, char **json);

/* As drx_attrs and drx_attr. */
int drxmp_attrs(drxmp_array a, char **json);
int drxmp_attr(drxmp_array a, const char *name, char **json);

/* As drx_set_attr and drx_delete_attr; collective. */
int drxmp_set_attr(drxmp_array a, const char *name, const char *json);
int drxmp_delete_attr(drxmp_array a, const char *name);

/* drxmp_refresh updates the array to the last commit of a writer outside of the group, and sets
 * *changed if the bounds have changed; collective. */
int drxmp_refresh(drxmp_array a, int *changed);

/* ---- Growing and shrinking ------------------------------------------------------------------- */

/* drxmp_extend, drxmp_shrink and drxmp_add_dim are drx_extend, drx_shrink and drx_add_dim;
 * collective, with the same arguments on all processes. The zones change. Shrinking and a new
 * dimension commit before and after. There is no drxmp_reserve: processes that reserve sections
 * each for itself open the array by drx_open with DRX_SHARED. */
int drxmp_extend(drxmp_array a, int dim, int64_t by, int side, int rank, int64_t *lo, int64_t *hi);
int drxmp_shrink(drxmp_array a, int dim, int64_t by, int side);
int drxmp_add_dim(drxmp_array a, const char *name, int *dim);

/* ---- Zones ----------------------------------------------------------------------------------- */

/* drxmp_redistribute gives chunks other owners, by the options "grid" and "distribution";
 * collective. Nothing moves in the file. */
int drxmp_redistribute(drxmp_array a, const char *options);

/* drxmp_owner returns the rank of the process that owns an element. */
int drxmp_owner(drxmp_array a, int rank, const int64_t *index, int *proc);

/* drxmp_zone returns the extents of the zone of a process in memory. A zone without elements has an
 * extent of 0. */
int drxmp_zone(drxmp_array a, int proc, int rank, int64_t *shape);

/* drxmp_boxes returns of how many boxes a zone consists, drxmp_box the bounds of box i, from 0, in
 * row-major order. */
int drxmp_boxes(drxmp_array a, int proc, int *boxes);
int drxmp_box(drxmp_array a, int proc, int i, int rank, int64_t *lo, int64_t *hi);

/* drxmp_zone_chunks returns how many chunks a zone has in *chunks, if file and memory are NULL.
 * Otherwise *chunks is that number, and the lists of this length get the numbers of the chunks in
 * the order of the file, and their positions in memory if the chunks lie there row-major: the
 * globalMap and the inMemoryMap of the paper. */
int drxmp_zone_chunks(drxmp_array a, int proc, int64_t *chunks, int64_t *file, int64_t *memory);

/* ---- Reading and writing --------------------------------------------------------------------- */

/* drxmp_read_all and drxmp_write_all move a section while the other processes move theirs;
 * collective. A process without elements takes part with an empty section. Sections that are
 * written must not overlap. After drxmp_write_all all see the elements. drxmp_read and drxmp_write
 * are calls of one process; the others see its writes after the next drxmp_sync or drxmp_write_all.
 * Arguments are those of drx_read. Conversions and strides need a copy of the section in memory. */
int drxmp_read_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides);
int drxmp_write_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides);
int drxmp_read(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides);
int drxmp_write(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides);

/* The same for the zone of this process, dense. */
int drxmp_read_zone_all(drxmp_array a, int dtype, void *buf, int64_t size);
int drxmp_write_zone_all(drxmp_array a, int dtype, const void *buf, int64_t size);
int drxmp_read_zone(drxmp_array a, int dtype, void *buf, int64_t size);
int drxmp_write_zone(drxmp_array a, int dtype, const void *buf, int64_t size);

/* The same in the background. The buffer must not be used until drxmp_wait has returned, which must
 * be called once, and gives the error of the call. The _all ones are collective, begin in the order
 * of the calls, and need MPI_THREAD_MULTIPLE. */
int drxmp_start_read_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides, drxmp_request *r);
int drxmp_start_write_all(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides, drxmp_request *r);
int drxmp_start_read(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides, drxmp_request *r);
int drxmp_start_write(drxmp_array a, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides, drxmp_request *r);
int drxmp_wait(drxmp_request r);
int drxmp_test(drxmp_request r, int *done);

/* ---- Global arrays: zones in memory, reached by all processes -------------------------------- */

/* Operations of drxmp_global_accumulate: an element x becomes x op y. */
enum { DRXMP_SUM = 1, DRXMP_PROD = 2, DRXMP_MIN = 3, DRXMP_MAX = 4, DRXMP_AND = 5, DRXMP_OR = 6 };

/* drxmp_global_create makes a global array with the zones of an array, full of its fill value, and
 * drxmp_global_close frees it, before its array is closed; collective. */
int drxmp_global_create(drxmp_array a, drxmp_global *g);
int drxmp_global_close(drxmp_global g);

/* drxmp_global_local returns the elements that this process holds, row-major with the extents of
 * drxmp_zone, until drxmp_global_follow or drxmp_global_close, and their size in bytes. Others see
 * changes after drxmp_global_fence. drxmp_global_zone, drxmp_global_boxes and drxmp_global_box are
 * drxmp_zone, drxmp_boxes and drxmp_box for the elements that a process holds. */
int drxmp_global_local(drxmp_global g, void **elements, int64_t *size);
int drxmp_global_zone(drxmp_global g, int proc, int rank, int64_t *shape);
int drxmp_global_boxes(drxmp_global g, int proc, int *boxes);
int drxmp_global_box(drxmp_global g, int proc, int i, int rank, int64_t *lo, int64_t *hi);

/* drxmp_global_get reads a section from the processes that hold it, drxmp_global_put writes one,
 * drxmp_global_accumulate combines one with the elements of a buffer, each element atomically.
 * Arguments are those of drx_read. */
int drxmp_global_get(drxmp_global g, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, void *buf, int64_t size, const int64_t *strides);
int drxmp_global_put(drxmp_global g, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides);
int drxmp_global_accumulate(drxmp_global g, int op, int rank, const int64_t *lo, const int64_t *hi, const int64_t *step, int dtype, const void *buf, int64_t size, const int64_t *strides);

/* drxmp_global_fence is a barrier after which all processes see all earlier changes;
 * drxmp_global_load reads all zones from the file, drxmp_global_store writes them;
 * drxmp_global_follow adopts the zones of the array after it has grown, and moves the elements;
 * collective. */
int drxmp_global_fence(drxmp_global g);
int drxmp_global_load(drxmp_global g);
int drxmp_global_store(drxmp_global g);
int drxmp_global_follow(drxmp_global g);

/* ---- The functions of the paper -------------------------------------------------------------- */

/* Otoo and Rotem, "Parallel Access of Out-Of-Core Dense Extendible Arrays" (2007), section IV.C. A
 * DRXMDHdl is a drxmp_array once it is open, and may be used in all functions above. A DRXMDMemHdl
 * is memory of this process with the section that belongs there. */
typedef drxmp_array DRXMDHdl;
typedef struct drxmp_mem *DRXMDMemHdl;
typedef MPI_Comm DRXComm;
typedef int DRXType; /* DRX_INT32, DRX_FLOAT64, DRX_COMPLEX128, ... */
typedef struct {
	int code;         /* as the function returns */
	int64_t elements; /* that were moved */
} DRXMPStatus;

/* DRXMP_Init describes an array: its rank, initial extents, extents of a chunk, type and processes.
 * For an array that exists kdim may be 0, initsize and chkshape NULL. DRXMP_Create then makes it,
 * DRXMP_Open opens one that exists, with mode "r" or "r+" (DRX_ENOTEXIST; DRX_EMISMATCH if type or
 * chunks differ from the arguments of DRXMP_Init; initsize does not matter). Both replace the
 * handle. DRXMP_Close closes an array, also one that was only described, DRXMP_Terminate all open
 * ones. All are collective. */
int DRXMP_Init(DRXMDHdl *drxhdl, int kdim, const size_t *initsize, const int *chkshape, DRXType dtype, DRXComm comm);
int DRXMP_Create(DRXMDHdl *drxhdl, const char *filename);
int DRXMP_Open(DRXMDHdl *drxhdl, const char *filename, const char *mode);
int DRXMP_Close(DRXMDHdl drxhdl);
int DRXMP_Terminate(void);

/* DRXMP_Mem_init makes a memory handle for the section [lo, hi) of an array, of kdim dimensions, or
 * with NULL and NULL for the present zone of this process. base is where the elements lie, dense,
 * row-major and of the array's type, or NULL for memory of the handle. DRXMP_Mem_base returns the
 * address, DRXMP_Mem_size the number of elements. DRXMP_Mem_free frees the handle. */
int DRXMP_Mem_init(DRXMDMemHdl *memhdl, DRXMDHdl drxhdl, int kdim, const int64_t *lo, const int64_t *hi, void *base);
int DRXMP_Mem_base(DRXMDMemHdl memhdl, void **base);
int DRXMP_Mem_size(DRXMDMemHdl memhdl, int64_t *elements);
int DRXMP_Mem_free(DRXMDMemHdl memhdl);

/* DRXMP_Read and DRXMP_Write move the section of a memory handle, DRXMP_Read_all and
 * DRXMP_Write_all while the other processes move theirs; collective. stat may be NULL. */
int DRXMP_Read(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat);
int DRXMP_Read_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat);
int DRXMP_Write(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat);
int DRXMP_Write_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat);

/* DRXMP_Extend adds by elements to dimension dim, above its highest index, DRXMP_Sync commits;
 * collective. */
int DRXMP_Extend(DRXMDHdl drxhdl, int dim, size_t by);
int DRXMP_Sync(DRXMDHdl drxhdl);

#ifdef __cplusplus
}
#endif

#endif /* DRXMP_H */
