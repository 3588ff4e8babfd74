/* Conformance of a library with the names of Disk Resident Arrays (DRA): run by mpirun with any
 * number of processes.
 *
 *   conform all DIR          every check of one job, with files in the folder DIR
 *   conform NAME DIR         one check: types, numbers, ranks, layouts, transposed, requests, sections, handles, groups,
 *                            config, prints
 *   conform write DIR        leaves two arrays for other jobs
 *   conform read DIR [N]     reads those of jobs of 1 to 4 processes, or to N, with any number of processes
 *
 * The environment variable CONFORM_ROUNDS is how many random sections there are of each rank, plain
 * and transposed, instead of 4.
 *
 * Prints one line per case, "ok NAME" or "FAILED NAME: why", and ends with the number of failures
 * (at most 100).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ga.h>
#include <ga-mpi.h>
#include <macdecls.h>
#include <dra.h>
#ifdef PMPI /* linked with pmpi.c of package parallel/mpi, which counts calls of MPI */
#include <pmpi.h>
#endif

/* What DRA has, but dra.h has not. */
extern int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode, dra_size_t reqdims[], int numfiles,
                              int ioprocs, int *d_a);
extern logical DRA_uses_fapi(void);

enum { MAXDIM = 7 };

static int me, procs, failures;
static const char *dir;

static const int TYPES[] = {C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL};
static const char *const TYPE_NAMES[] = {"int", "long", "float", "double", "complex", "double complex"};
enum { NTYPES = 6 };

static size_t type_size(int type) {
    switch (type) {
    case C_INT: return sizeof(int);
    case C_LONG: return sizeof(long);
    case C_FLOAT: return sizeof(float);
    case C_DBL: return sizeof(double);
    case C_SCPL: return 2 * sizeof(float);
    default: return 2 * sizeof(double);
    }
}

/* value stores element number i of an array made with a seed; a float holds it exactly. */
static void value(int type, long i, long seed, void *to) {
    long v = (i * 7 + seed * 1009) % 1000003;
    switch (type) {
    case C_INT: *(int *)to = (int)v; break;
    case C_LONG: *(long *)to = v << 30; break;
    case C_FLOAT: *(float *)to = (float)v; break;
    case C_DBL: *(double *)to = (double)v / 4; break;
    case C_SCPL: ((float *)to)[0] = (float)v, ((float *)to)[1] = (float)-v; break;
    default: ((double *)to)[0] = (double)v / 8, ((double *)to)[1] = (double)-v; break;
    }
}

static long count(int n, const int dims[]) {
    long c = 1;
    for (int d = 0; d < n; d++) c *= dims[d];
    return c;
}

/* report tells about a case, which failed if any process has a reason. */
static void report(const char *name, const char *why) {
    int bad = why != NULL, any, first;
    MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, GA_MPI_Comm());
    int mine = bad ? me : procs;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, GA_MPI_Comm());
    if (any) {
        failures++;
        if (me == first) printf("FAILED %s: process %d: %s\n", name, me, why);
    } else if (me == 0) {
        printf("ok %s\n", name);
    }
    fflush(stdout);
    GA_Sync();
}

static char *path(const char *name) {
    static char buf[4096];
    snprintf(buf, sizeof buf, "%s/%s", dir, name);
    return buf;
}

/* fill puts values into a whole global array, from process 0; check compares it on every
 * process. */
static void fill(int g, int type, int n, int dims[], long seed) {
    int lo[MAXDIM] = {0}, hi[MAXDIM], ld[MAXDIM];
    long c = count(n, dims);
    size_t size = type_size(type);
    GA_Sync();
    if (GA_Nodeid() == 0) {
        char *buf = malloc(c * size);
        for (long i = 0; i < c; i++) value(type, i, seed, buf + i * size);
        for (int d = 0; d < n; d++) hi[d] = dims[d] - 1, ld[d] = d + 1 < n ? dims[d + 1] : 1;
        NGA_Put(g, lo, hi, buf, ld);
        free(buf);
    }
    GA_Sync();
}

/* expect compares a global array with what fn says each element is; fn returns the number for
 * value, or -1 for zero. */
typedef long (*source)(int n, const int at[], const void *arg);

static const char *expect(int g, int type, int n, int dims[], long seed, source fn, const void *arg) {
    static char why[200];
    int lo[MAXDIM] = {0}, hi[MAXDIM], ld[MAXDIM], at[MAXDIM] = {0};
    long c = count(n, dims);
    size_t size = type_size(type);
    char *buf = malloc(c * size), want[16];
    const char *result = NULL;
    GA_Sync();
    for (int d = 0; d < n; d++) hi[d] = dims[d] - 1, ld[d] = d + 1 < n ? dims[d + 1] : 1;
    NGA_Get(g, lo, hi, buf, ld);
    for (long i = 0; i < c && result == NULL; i++) {
        long from = fn(n, at, arg);
        memset(want, 0, sizeof want);
        if (from >= 0) value(type, from, seed, want);
        if (memcmp(want, buf + i * size, size) != 0) {
            snprintf(why, sizeof why, "element %ld has a wrong value", i);
            result = why;
        }
        for (int d = n - 1; d >= 0 && ++at[d] == dims[d]; d--) at[d] = 0;
    }
    free(buf);
    return result;
}

/* same: element i is value i. arg is the extents. */
static long same(int n, const int at[], const void *arg) {
    const int *dims = arg;
    long i = 0;
    for (int d = 0; d < n; d++) i = i * dims[d] + at[d];
    return i;
}

static void zero(int g) {
    GA_Zero(g);
    GA_Sync();
}

static const char *create(int type, int n, int dims[], const char *file, int mode, int *d_a) {
    dra_size_t extents[MAXDIM], req[MAXDIM];
    for (int d = 0; d < n; d++) extents[d] = dims[d], req[d] = -1;
    return NDRA_Create(type, n, extents, "array", path(file), mode, req, d_a) == 0 ? NULL : "NDRA_Create failed";
}

/* round trips a global array through a new disk array: written, closed, opened, read into another
 * of the layout. */
static const char *round_trip(int g, int h, int type, int n, int dims[], const char *file, long seed) {
    int d_a, req;
    const char *why;
    fill(g, type, n, dims, seed);
    zero(h);
    if ((why = create(type, n, dims, file, DRA_RW, &d_a)) != NULL) return why;
    if (NDRA_Write(g, d_a, &req) != 0) return "NDRA_Write failed";
    if (DRA_Wait(req) != 0) return "DRA_Wait failed";
    if (DRA_Close(d_a) != 0) return "DRA_Close failed";
    if (DRA_Open(path(file), DRA_R, &d_a) != 0) return "DRA_Open failed";
    if (NDRA_Read(h, d_a, &req) != 0) return "NDRA_Read failed";
    if (DRA_Wait(req) != 0) return "DRA_Wait after NDRA_Read failed";
    why = expect(h, type, n, dims, seed, same, dims);
    if (DRA_Delete(d_a) != 0 && why == NULL) why = "DRA_Delete failed";
    return why;
}

static void check_types(void) {
    int dims[] = {37, 53}, chunk[] = {-1, -1};
    for (int t = 0; t < NTYPES; t++) {
        char name[64];
        int g = NGA_Create(TYPES[t], 2, dims, "g", chunk), h = NGA_Create(TYPES[t], 2, dims, "h", chunk);
        snprintf(name, sizeof name, "types/%s", TYPE_NAMES[t]);
        report(name, round_trip(g, h, TYPES[t], 2, dims, "types", t));
        GA_Destroy(g), GA_Destroy(h);
    }
}

/* created_as returns a reason unless a disk array that is created with one number for its type has
 * another. */
static const char *created_as(int number, int type) {
    int dims[] = {4, 5}, d_a, found, n;
    dra_size_t extents[MAXDIM];
    char name[80], file[300];
    const char *why = create(number, 2, dims, "created", DRA_RW, &d_a);
    if (why != NULL) return why;
    if (NDRA_Inquire(d_a, &found, &n, extents, name, file) != 0) return "NDRA_Inquire failed";
    if (DRA_Delete(d_a) != 0) return "DRA_Delete failed";
    return found == type ? NULL : "it has another type";
}

/* Programs in C may use Fortran's numbers. */
static void check_numbers(void) {
    report("numbers/integer", created_as(MT_F_INT, C_LONG));
    report("numbers/real", created_as(MT_F_REAL, C_FLOAT));
    report("numbers/double precision", created_as(MT_F_DBL, C_DBL));
    report("numbers/complex", created_as(MT_F_SCPL, C_SCPL));
    report("numbers/double complex", created_as(MT_F_DCPL, C_DCPL));
}

static void check_ranks(void) {
    int dims[] = {11, 6, 5, 4, 3, 2, 3}, chunk[] = {-1, -1, -1, -1, -1, -1, -1};
    for (int n = 1; n <= MAXDIM; n++) {
        char name[64];
        int g = NGA_Create(C_DBL, n, dims, "g", chunk), h = NGA_Create(C_DBL, n, dims, "h", chunk);
        snprintf(name, sizeof name, "ranks/%d", n);
        report(name, round_trip(g, h, C_DBL, n, dims, "ranks", n));
        GA_Destroy(g), GA_Destroy(h);
    }
}

/* layout makes a global array of a distribution, or 0 if there are too few processes for it. */
static int layout(const char *kind, int n, int dims[]) {
    int g;
    int chunk[] = {-1, -1, -1}, width[] = {2, 1, 1}, blocks[] = {5, 7, 3}, list[64];
    if (strcmp(kind, "regular") == 0) return NGA_Create(C_DBL, n, dims, "g", chunk);
    if (strcmp(kind, "ghosts") == 0) return NGA_Create_ghosts(C_DBL, n, dims, width, "g", chunk);
    if (strcmp(kind, "irregular") == 0) { /* the first process of each dimension has one index */
        int block[] = {1, 1, 1}, map[MAXDIM * 64], at = 0;
        block[0] = procs;
        for (int p = 0; p < procs; p++) map[at++] = p == 0 ? 0 : 1 + (p - 1) * (dims[0] - 1) / (procs > 1 ? procs - 1 : 1);
        for (int d = 1; d < n; d++) map[at++] = 0;
        return NGA_Create_irreg(C_DBL, n, dims, "g", block, map);
    }
    g = GA_Create_handle();
    GA_Set_data(g, n, dims, C_DBL);
    GA_Set_array_name(g, "g");
    int grid[] = {procs % 2 == 0 ? procs / 2 : procs, procs % 2 == 0 ? 2 : 1, 1};
    if (strcmp(kind, "block-cyclic") == 0) {
        GA_Set_block_cyclic(g, blocks);
    } else if (strcmp(kind, "block-cyclic grid") == 0) { /* as ScaLAPACK has it */
        GA_Set_block_cyclic_proc_grid(g, blocks, grid);
    } else if (strcmp(kind, "tiled") == 0) {
        GA_Set_tiled_proc_grid(g, blocks, grid);
    } else if (strcmp(kind, "tiled irregular") == 0) { /* three tiles per dimension, of which the first has one index */
        int tiles[] = {3, 3, 3}, map[9];
        for (int d = 0; d < n; d++) map[3 * d] = 0, map[3 * d + 1] = 1, map[3 * d + 2] = 1 + dims[d] / 2;
        GA_Set_tiled_irreg_proc_grid(g, map, tiles, grid);
    } else if (strcmp(kind, "restricted") == 0) { /* every second process */
        int m = 0;
        for (int p = 0; p < procs; p += 2) list[m++] = p;
        GA_Set_restricted(g, list, m);
    } else if (strcmp(kind, "other group") == 0) { /* the same processes in another order */
        for (int p = 0; p < procs; p++) list[p] = (p + 1) % procs;
        GA_Set_pgroup(g, GA_Pgroup_create(list, procs));
    }
    if (!GA_Allocate(g)) GA_Error("no memory for a global array", 0);
    return g;
}

/* Arrays are moved as a whole here: GA 5.8 itself fails in NGA_Put and NGA_Get of some sections of
 * tiled arrays, and ends the job, so that no other test has them (docs/PEXTA.md, "What
 * differs"). */
static void check_layout(const char *kind) {
    int dims[] = {23, 31, 5};
    for (int n = 2; n <= 3; n++) {
        char name[64];
        int g = layout(kind, n, dims), h = layout(kind, n, dims);
        snprintf(name, sizeof name, "layouts/%s/%d", kind, n);
        report(name, round_trip(g, h, C_DBL, n, dims, "layouts", kind[0] + n));
        GA_Destroy(g), GA_Destroy(h);
    }
}

static void check_layouts(void) {
    static const char *const kinds[] = {"regular", "ghosts", "irregular", "block-cyclic", "restricted", "block-cyclic grid", "tiled", "tiled irregular", "other group"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) check_layout(kinds[k]);
}

/* A patch says where the elements of a disk array come from: the box at glo of a global array went
 * to dlo. */
struct patch {
    int dims[MAXDIM]; /* of the global array */
    int glo[MAXDIM], dlo[MAXDIM], size[MAXDIM];
    int transposed; /* size is of the global array; the disk array has the reverse */
};

/* patched: the element of the disk array's copy at at, or zero outside of the patch. */
static long patched(int n, const int at[], const void *arg) {
    const struct patch *p = arg;
    long i = 0;
    int g[MAXDIM];
    for (int d = 0; d < n; d++) {
        int from = p->transposed ? n - 1 - d : d;
        int off = at[d] - p->dlo[d];
        if (off < 0 || off >= p->size[from]) return -1;
        g[from] = p->glo[from] + off;
    }
    for (int d = 0; d < n; d++) i = i * p->dims[d] + g[d];
    return i;
}

/* patch_trip writes the patch of g to a new disk array, reads that whole, and then reads the patch
 * back into zeros of g. */
static const char *patch_trip(int type, int n, struct patch p, int ddims[], const char *file, long seed) {
    int chunk[] = {-1, -1, -1, -1, -1, -1, -1}, glo[MAXDIM], ghi[MAXDIM], d_a, req, whole[MAXDIM];
    dra_size_t dlo[MAXDIM], dhi[MAXDIM];
    const char *why;
    int g = NGA_Create(type, n, p.dims, "g", chunk), h = NGA_Create(type, n, ddims, "h", chunk);
    for (int d = 0; d < n; d++) {
        glo[d] = p.glo[d], ghi[d] = p.glo[d] + p.size[d] - 1;
        dlo[d] = p.dlo[d], dhi[d] = p.dlo[d] + p.size[p.transposed ? n - 1 - d : d] - 1;
        whole[d] = ddims[d];
    }
    fill(g, type, n, p.dims, seed);
    zero(h);
    why = create(type, n, ddims, file, DRA_RW, &d_a);
    if (why == NULL && NDRA_Write_section(p.transposed, g, glo, ghi, d_a, dlo, dhi, &req) != 0) why = "NDRA_Write_section failed";
    if (why == NULL && DRA_Wait(req) != 0) why = "DRA_Wait failed";
    if (why == NULL && (NDRA_Read(h, d_a, &req) != 0 || DRA_Wait(req) != 0)) why = "NDRA_Read failed";
    if (why == NULL) why = expect(h, type, n, whole, seed, patched, &p);
    zero(g);
    if (why == NULL && NDRA_Read_section(p.transposed, g, glo, ghi, d_a, dlo, dhi, &req) != 0) why = "NDRA_Read_section failed";
    if (why == NULL && DRA_Wait(req) != 0) why = "DRA_Wait after NDRA_Read_section failed";
    if (why == NULL) {
        struct patch back = {.transposed = 0};
        for (int d = 0; d < n; d++) back.dims[d] = p.dims[d], back.glo[d] = back.dlo[d] = p.glo[d], back.size[d] = p.size[d];
        why = expect(g, type, n, p.dims, seed, patched, &back);
    }
    if (DRA_Delete(d_a) != 0 && why == NULL) why = "DRA_Delete failed";
    GA_Destroy(g), GA_Destroy(h);
    return why;
}

/* random patches, the same on all processes, of arrays of up to some megabytes. */
static void check_patches(const char *kind, int transposed) {
    static const int shape[] = {19, 14, 7, 5, 4, 3, 3};
    const char *wanted = getenv("CONFORM_ROUNDS");
    int rounds = wanted != NULL ? atoi(wanted) : 4;
    unsigned seed = transposed ? 77 : 5;
    for (int n = 1; n <= MAXDIM; n++) {
        for (int round = 0; round < rounds; round++) {
            struct patch p = {.transposed = transposed};
            int ddims[MAXDIM];
            char name[64];
            for (int d = 0; d < n; d++) {
                seed = seed * 1103515245u + 12345u;
                p.dims[d] = shape[d];
                p.size[d] = 1 + (seed >> 16) % shape[d];
                p.glo[d] = (seed >> 8) % (shape[d] - p.size[d] + 1);
            }
            for (int d = 0; d < n; d++) {
                seed = seed * 1103515245u + 12345u;
                p.dlo[d] = (seed >> 16) % (n < 5 ? 6 : 3);
                ddims[d] = p.dlo[d] + p.size[transposed ? n - 1 - d : d] + (seed >> 20) % (n < 5 ? 4 : 3);
            }
            int t = round == 0 ? 3 : (n + round) % NTYPES;
            snprintf(name, sizeof name, "%s/%d/%d (%s)", kind, n, round, TYPE_NAMES[t]);
            report(name, patch_trip(TYPES[t], n, p, ddims, kind, n * 10 + round));
        }
    }
}

static void check_sections(void) { check_patches("sections", 0); }
static void check_transposed(void) { check_patches("transposed", 1); }

/* five requests at once, waited for in reverse order, and probed. */
static void check_requests(void) {
    int dims[] = {60, 50}, chunk[] = {-1, -1}, g[5], h[5], d_a[5], req[5];
    const char *why = NULL;
    for (int i = 0; i < 5; i++) {
        char file[20];
        g[i] = NGA_Create(C_DBL, 2, dims, "g", chunk), h[i] = NGA_Create(C_DBL, 2, dims, "h", chunk);
        fill(g[i], C_DBL, 2, dims, i);
        zero(h[i]);
        snprintf(file, sizeof file, "request%d", i);
        if (why == NULL) why = create(C_DBL, 2, dims, file, DRA_RW, &d_a[i]);
    }
    for (int i = 0; i < 5 && why == NULL; i++)
        if (NDRA_Write(g[i], d_a[i], &req[i]) != 0) why = "NDRA_Write failed";
    for (int i = 4; i >= 0 && why == NULL; i--)
        if (DRA_Wait(req[i]) != 0) why = "DRA_Wait failed";
    report("requests/five writes", why);
    for (int i = 0; i < 5 && why == NULL; i++)
        if (NDRA_Read(h[i], d_a[i], &req[i]) != 0) why = "NDRA_Read failed";
    for (int i = 4; i >= 0 && why == NULL; i--) {
        int status = 0, probes = 0;
        while (status == 0 && why == NULL)
            if (DRA_Probe(req[i], &status) != 0 || ++probes > 1000000) why = "DRA_Probe failed or has no end";
        if (why == NULL && status != -1) why = "the status of a request that is done is not -1";
        if (why == NULL && DRA_Wait(req[i]) != 0) why = "DRA_Wait after DRA_Probe failed";
    }
    for (int i = 0; i < 5 && why == NULL; i++) why = expect(h[i], C_DBL, 2, dims, i, same, dims);
    report("requests/five reads", why);
    report("requests/wait twice", why == NULL && DRA_Wait(req[0]) != 0 ? "DRA_Wait of a request that is over is not 0" : NULL);
    report("requests/wait for none", DRA_Wait(DRA_REQ_INVALID) != 0 ? "DRA_Wait(DRA_REQ_INVALID) is not 0" : NULL);
    for (int i = 0; i < 5; i++) DRA_Delete(d_a[i]), GA_Destroy(g[i]), GA_Destroy(h[i]);
    DRA_Flick();
}

/* what Inquire says, missing files, unwritten elements, modes. */
static void check_handles(void) {
    int dims[] = {9, 8, 7}, d_a, e_a, type, n, chunk[] = {-1, -1, -1}, req;
    dra_size_t extents[MAXDIM];
    char name[1024], file[4096];
    const char *why = create(C_FLOAT, 3, dims, "handle", DRA_RW, &d_a);
    int g = NGA_Create(C_FLOAT, 3, dims, "g", chunk);
    if (why == NULL && NDRA_Inquire(d_a, &type, &n, extents, name, file) != 0) why = "NDRA_Inquire failed";
    if (why == NULL && (type != C_FLOAT || n != 3 || extents[0] != 9 || extents[1] != 8 || extents[2] != 7)) why = "NDRA_Inquire has another type or shape";
    if (why == NULL && strncmp(name, "array", 5) != 0) why = "NDRA_Inquire has another name";
    if (why == NULL && strcmp(file, path("handle")) != 0) why = "NDRA_Inquire has another file";
    report("handles/inquire", why);

    fill(g, C_FLOAT, 3, dims, 1);
    why = NDRA_Read(g, d_a, &req) == 0 && DRA_Wait(req) == 0 ? NULL : "NDRA_Read of unwritten elements failed";
    if (why == NULL) {
        struct patch none = {.dims = {9, 8, 7}};
        why = expect(g, C_FLOAT, 3, dims, 1, patched, &none);
    }
    report("handles/unwritten is zero", why);

    why = create(C_INT, 2, dims, "handle2", DRA_W, &e_a);
    if (why == NULL && d_a == e_a) why = "two open arrays have one handle";
    if (why == NULL && DRA_Close(e_a) != 0) why = "DRA_Close failed";
    if (why == NULL && (DRA_Open(path("handle2"), DRA_RW, &e_a) != 0 || DRA_Delete(e_a) != 0)) why = "DRA_Open or DRA_Delete failed";
    report("handles/two at once", why);
    report("handles/missing file", DRA_Open(path("missing"), DRA_R, &e_a) == 0 ? "DRA_Open of a missing file is 0" : NULL);

    why = DRA_Close(d_a) == 0 && DRA_Open(path("handle"), DRA_R, &d_a) == 0 ? NULL : "DRA_Open failed";
    if (why == NULL && DRA_Delete(d_a) != 0) why = "DRA_Delete after DRA_Open with DRA_R failed";
    if (why == NULL && DRA_Open(path("handle"), DRA_R, &d_a) == 0) why = "a deleted array can be opened";
    report("handles/delete", why);
    GA_Destroy(g);
}

/* numbers of files and of processes that use them, which are DRA's own affair. */
static void check_config(void) {
    int dims[] = {30, 41}, chunk[] = {-1, -1}, d_a, req;
    dra_size_t extents[] = {30, 41}, request[] = {-1, -1};
    int g = NGA_Create(C_DBL, 2, dims, "g", chunk), h = NGA_Create(C_DBL, 2, dims, "h", chunk);
    DRA_Set_default_config(1, 1);
    report("config/default", round_trip(g, h, C_DBL, 2, dims, "config", 1));
    fill(g, C_DBL, 2, dims, 2);
    zero(h);
    const char *why = NDRA_Create_config(C_DBL, 2, extents, "array", path("config2"), DRA_RW, request, 1, 1, &d_a) == 0 ? NULL : "NDRA_Create_config failed";
    if (why == NULL && (NDRA_Write(g, d_a, &req) != 0 || DRA_Wait(req) != 0)) why = "NDRA_Write failed";
    if (why == NULL && (NDRA_Read(h, d_a, &req) != 0 || DRA_Wait(req) != 0)) why = "NDRA_Read failed";
    if (why == NULL) why = expect(h, C_DBL, 2, dims, 2, same, dims);
    if (why == NULL && DRA_Delete(d_a) != 0) why = "DRA_Delete failed";
    report("config/of one array", why);
    report("config/file system", DRA_uses_fapi() != 0 ? "DRA_uses_fapi is not 0" : NULL);
    DRA_Set_default_config(-1, -1);
    GA_Destroy(g), GA_Destroy(h);
}

/* one read that is printed, and one description of an array; the test looks for them. */
static void check_prints(void) {
    int dims[] = {30, 41}, chunk[] = {-1, -1}, d_a, req;
    int g = NGA_Create(C_DBL, 2, dims, "g", chunk), h = NGA_Create(C_DBL, 2, dims, "h", chunk);
    fill(g, C_DBL, 2, dims, 5);
    zero(h);
    const char *why = create(C_DBL, 2, dims, "prints", DRA_RW, &d_a);
    if (why == NULL && (NDRA_Write(g, d_a, &req) != 0 || DRA_Wait(req) != 0)) why = "NDRA_Write failed";
    DRA_Set_debug(1);
    if (why == NULL && (NDRA_Read(h, d_a, &req) != 0 || DRA_Wait(req) != 0)) why = "NDRA_Read failed";
    DRA_Set_debug(0);
    if (why == NULL) DRA_Print_internals(d_a);
    if (why == NULL) why = expect(h, C_DBL, 2, dims, 5, same, dims);
    if (why == NULL && DRA_Delete(d_a) != 0) why = "DRA_Delete failed";
    report("prints", why);
    GA_Destroy(g), GA_Destroy(h);
}

/* a group of the first half of the processes keeps an array, and then all read it. */
static void check_groups(void) {
    int half = procs > 1 ? procs / 2 : 1, list[64], dims[] = {21, 17}, chunk[] = {-1, -1}, d_a, req;
    const char *why = NULL;
    for (int p = 0; p < half; p++) list[p] = p;
    int group = GA_Pgroup_create(list, half), world = GA_Pgroup_get_world();
    if (me < half) {
        GA_Pgroup_set_default(group);
        int g = NGA_Create(C_DBL, 2, dims, "g", chunk);
        fill(g, C_DBL, 2, dims, 3);
        why = create(C_DBL, 2, dims, "group", DRA_RW, &d_a);
        if (why == NULL && (NDRA_Write(g, d_a, &req) != 0 || DRA_Wait(req) != 0)) why = "NDRA_Write in a group failed";
        if (why == NULL && DRA_Close(d_a) != 0) why = "DRA_Close in a group failed";
        GA_Destroy(g);
        GA_Pgroup_set_default(world);
    }
    GA_Sync();
    report("groups/write", why);
    int h = NGA_Create(C_DBL, 2, dims, "h", chunk);
    zero(h);
    why = DRA_Open(path("group"), DRA_R, &d_a) == 0 ? NULL : "DRA_Open failed";
    if (why == NULL && (NDRA_Read(h, d_a, &req) != 0 || DRA_Wait(req) != 0)) why = "NDRA_Read failed";
    if (why == NULL) why = expect(h, C_DBL, 2, dims, 3, same, dims);
    if (why == NULL && DRA_Delete(d_a) != 0) why = "DRA_Delete failed";
    report("groups/read by all", why);
    GA_Destroy(h);
}

/* The two arrays of a job of so many processes: one of two dimensions, one of three. */
static const int JOB_TYPES[] = {C_DBL, C_SCPL};
static int job_dims[2][MAXDIM] = {{500, 900}, {60, 41, 50}};
static int up_to = 4; /* read those of jobs of so many processes */

static const char *job(int writers, int n) {
    static char name[20];
    snprintf(name, sizeof name, "job%d-%d", writers, n);
    return name;
}

static void job_write(void) {
    for (int n = 2; n <= 3; n++) {
        int *dims = job_dims[n - 2], type = JOB_TYPES[n - 2], chunk[] = {-1, -1, -1}, d_a, req;
        int g = NGA_Create(type, n, dims, "g", chunk);
        fill(g, type, n, dims, 11 + procs);
        const char *why = create(type, n, dims, job(procs, n), DRA_RW, &d_a);
        if (why == NULL && (NDRA_Write(g, d_a, &req) != 0 || DRA_Wait(req) != 0 || DRA_Close(d_a) != 0)) why = "NDRA_Write failed";
        report("jobs/write", why);
        GA_Destroy(g);
    }
}

static void job_read(void) {
    for (int n = 2; n <= 3; n++) {
        int *dims = job_dims[n - 2], type = JOB_TYPES[n - 2], chunk[] = {-1, -1, -1}, d_a, req;
        int h = NGA_Create(type, n, dims, "h", chunk);
        for (int writers = 1; writers <= up_to; writers++) {
            zero(h);
            const char *why = DRA_Open(path(job(writers, n)), DRA_R, &d_a) == 0 ? NULL : "DRA_Open failed";
            if (why == NULL && (NDRA_Read(h, d_a, &req) != 0 || DRA_Wait(req) != 0)) why = "NDRA_Read failed";
            if (why == NULL) why = expect(h, type, n, dims, 11 + writers, same, dims);
            if (why == NULL && DRA_Close(d_a) != 0) why = "DRA_Close failed";
            report("jobs/read", why);
        }
        GA_Destroy(h);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
    int in_all;
} CHECKS[] = {
    {"types", check_types, 1},       {"ranks", check_ranks, 1},           {"layouts", check_layouts, 1},
    {"sections", check_sections, 1}, {"transposed", check_transposed, 1}, {"requests", check_requests, 1},
    {"handles", check_handles, 1},   {"groups", check_groups, 1},         {"numbers", check_numbers, 1},
    {"config", check_config, 1},     {"prints", check_prints, 1},         {"write", job_write, 0},
    {"read", job_read, 0},
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    GA_Initialize();
    me = GA_Nodeid(), procs = GA_Nnodes();
#ifdef PMPI
    pmpi_begin();
#endif
    if (argc != 3 && argc != 4) GA_Error("usage: conform CHECK DIR [WRITERS]", 0);
    dir = argv[2];
    if (argc == 4) up_to = atoi(argv[3]);
    MA_init(C_DBL, 1 << 22, 1 << 22);
    if (DRA_Init(20, 1e9, 1e10, -1) != 0) GA_Error("DRA_Init failed", 0);
    int found = 0;
    for (size_t i = 0; i < sizeof CHECKS / sizeof CHECKS[0]; i++) {
        if (strcmp(argv[1], CHECKS[i].name) == 0 || (CHECKS[i].in_all && strcmp(argv[1], "all") == 0)) {
            CHECKS[i].run();
            found = 1;
        }
    }
    if (!found) GA_Error("no such check", 0);
    if (DRA_Terminate() != 0) failures++;
#ifdef PMPI
    if (pmpi_calls() == 0 || pmpi_foreign() != 0) printf("FAILED: %ld calls of MPI, %ld on other threads\n", (long)pmpi_calls(), (long)pmpi_foreign()), failures++;
#endif
    GA_Terminate();
    MPI_Finalize();
    return failures > 100 ? 100 : failures;
}
