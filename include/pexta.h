/* pexta.h - PEXTA: global arrays in files that grow, for programs that use Global Arrays.
 *
 * The functions are those of the thesis of J. M. Nimako, section 8.4: most are those of Disk
 * Resident Arrays (DRA) with another name, and PEXTA_Extend and PEXTA_IRead are new. docs/PEXTA.md
 * describes all. Link libpexta.a before Global Arrays.
 *
 * All functions are collective over GA's default group. They return 0, or -1 after an error, about
 * which process 0 prints one line; the program goes on. Types are C_INT, C_LONG, C_FLOAT, C_DBL,
 * C_SCPL and C_DCPL. There are 1 to 7 dimensions, in the order of C; the ends of sections are
 * inclusive.
 */
#ifndef PEXTA_H
#define PEXTA_H

#include <dra.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef dra_size_t pexta_size_t;

#define PEXTA_RW DRA_RW
#define PEXTA_R DRA_R
#define PEXTA_W DRA_W
#define PEXTA_REQ_INVALID DRA_REQ_INVALID

/* max_memory limits the memory of one process for elements, in bytes. -1 is the default, in all
 * arguments. */
extern int PEXTA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory);
extern int PEXTA_Terminate(void); /* closes all arrays */

/* reqdims are the extents of a typical request; -1 is unknown. g_a is an array that will be written
 * to this one. */
extern int PEXTA_Create(int type, int ndim, pexta_size_t dims[], char *name, char *filename, int mode, pexta_size_t reqdims[], int g_a,
			int *p_a);
extern int PEXTA_Open(char *filename, int mode, int *p_a);
extern int PEXTA_Close(int p_a);  /* ends its requests, and commits them */
extern int PEXTA_Delete(int p_a); /* closes it and removes its files */

/* name needs room for 72 bytes and filename for 248; both may be NULL. It sees what another program
 * has added to an array that is open with PEXTA_R. */
extern int PEXTA_Inquire(int p_a, int *type, int *ndim, pexta_size_t dims[], char *name, char *filename);

/* Requests: a write is committed when PEXTA_Wait returns, or PEXTA_Probe says that it is done. */
extern int PEXTA_Write(int g_a, int p_a, int *request);
extern int PEXTA_Read(int g_a, int p_a, int *request);
extern int PEXTA_Write_section(logical transp, int g_a, int glo[], int ghi[], int p_a, pexta_size_t plo[], pexta_size_t phi[],
			       int *request);
extern int PEXTA_Read_section(logical transp, int g_a, int glo[], int ghi[], int p_a, pexta_size_t plo[], pexta_size_t phi[],
			      int *request);
extern int PEXTA_Probe(int request, int *compl_status); /* -1: done, 0: not yet */
extern int PEXTA_Wait(int request);
extern void PEXTA_Flick(void); /* lets requests go on */

/* Reads the whole array, also if it was extended since, by whatever program: then g_a is extended
 * as well. */
extern int PEXTA_IRead(int g_a, int p_a, int *request);

/* Extends an array. edims has how many elements to add in each dimension, odims the dimensions in
 * the order in which they are extended, one entry for each dimension, where a negative one is none.
 * The new elements are 0. */
extern int PEXTA_Extend(int p_a, pexta_size_t edims[], pexta_size_t odims[], int *request);

extern void PEXTA_Set_debug(logical flag); /* prints every call */
extern void PEXTA_Print_internals(int p_a);
extern void PEXTA_Set_default_config(int numfiles, int numioprocs); /* does nothing */

/* The version of the library. A program has it if and only if it was linked with this library: see
 * pexta-check. */
extern const char *PEXTA_Version(void);

#ifdef __cplusplus
}
#endif

#endif
