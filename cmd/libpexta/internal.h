/* internal.h - what the C files of libpexta share with each other and with the Go files. */
#ifndef LIBPEXTA_INTERNAL_H
#define LIBPEXTA_INTERNAL_H

#include <mpi.h>
#include <ga.h>
#include <dra.h>

/* enter lets the Go runtime see faults of its own code, and leave gives the program its handlers
 * back: see signals.c. */
void pextac_enter(void);
void pextac_leave(void);

/* background says whether requests use files after the call, so that leave keeps the handlers. */
void pextac_background(int busy);

/* watch_windows lets requests end the use of memory that MPI frees, from now on or no longer: see
 * windows.c. */
void pextac_watch_windows(int on);

/* global_rank returns the number of dimensions of a global array, 0 if there is none with the
 * handle: the call then fails by itself. */
int pextac_global_rank(int g_a);

/* move_section begins to write or read a section, whose ends have the C interface's types. */
int pextac_move_section(char *name, int write, logical transp, int g_a, const int glo[], const int ghi[], int d_a, dra_size_t dlo[],
			dra_size_t dhi[], int *request);

/* MAX_NAME and MAX_FILE are the room that programs have for texts of NDRA_Inquire; arrays.go has
 * the same numbers. */
enum { MAX_RANK = 7, MAX_NAME = 72, MAX_FILE = 248 };

/* IN_GO calls a function of the Go files between enter and leave, and has its result. */
#define IN_GO(call) \
	({ \
		pextac_enter(); \
		int code_ = (call); \
		pextac_leave(); \
		code_; \
	})

#endif
