/* internal.h - what the C files and the Go files of libdrx know of each other. Nothing of it is
 * exported. */
#ifndef DRX_INTERNAL_H
#define DRX_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "drx.h"

/* cgo drops const from the types of parameters; these keep it. */
typedef const char drxc_text;
typedef const int64_t drxc_numbers;
typedef const int drxc_order;

/* error.c */
void drxc_set_error(const char *text, size_t n);
int drxc_failed(int code, const char *function, const char *text); /* sets the message, returns the code */

/* process.c: whether this process was made by fork after the library was loaded. */
int drxc_forked(void);
int drxc_refuse_child(const char *function);

/* GO returns the result of a function of Go. */
#define GO(call) return drxc_forked() ? drxc_refuse_child(__func__) : call

/* signals_linux.c */
void drxc_install_signals(void); /* after the start of the Go runtime */
void drxc_use_alternate_stacks(void);

/* callbacks.c: Go cannot call a C function by its address. */
int drxc_progress(drx_progress f, void *user, int64_t done, int64_t total);
int drxc_change(drx_change_fn f, void *user, const char *change);
int drxc_part(drx_part_fn f, void *user, int rank, const int64_t *lo, const int64_t *hi, int64_t number);

#endif
