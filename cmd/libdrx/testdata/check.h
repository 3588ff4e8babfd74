/* check.h - what the test programs share. A failed check prints its line and ends the program with
 * 1. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drx.h>

#define CHECK(x) \
	do { \
		if (!(x)) { \
			printf("%s:%d: failed: %s (last error: %s)\n", __FILE__, __LINE__, #x, drx_error()); \
			fflush(stdout); \
			_Exit(1); \
		} \
	} while (0)

/* WANT checks the code of a call. After a failure there must be a message of one line. */
#define WANT(want, call) \
	do { \
		int got_ = (call); \
		if (got_ != (want)) { \
			printf("%s:%d: %s is %s, want %s: %s\n", __FILE__, __LINE__, #call, drx_code_name(got_), drx_code_name(want), \
				drx_error()); \
			fflush(stdout); \
			_Exit(1); \
		} \
		if (got_ != DRX_OK) { \
			CHECK(drx_error()[0] != 0); \
			CHECK(strchr(drx_error(), '\n') == NULL); \
		} \
	} while (0)

#define OK(call) WANT(DRX_OK, call)

/* SAYS checks that the last message contains a text. */
#define SAYS(text) CHECK(strstr(drx_error(), text) != NULL)

#endif
