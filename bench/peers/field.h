/* The interface of the peers in C that compress. The protocol is in field.c; childcodec.go says
 * what its verbs mean. Functions that a peer does not have refuse. */
#ifndef FIELD_H
#define FIELD_H

#include "common.h"

/* The elements of an array, row-major, and how they are to be stored. */
typedef struct {
	char *bytes;
	long size;    /* of them */
	int element;  /* bytes of one */
	char kind;    /* 'i', 'u' or 'f' */
	long chunk[MAX_RANK];
	const char *codec; /* of blosc the compressor */
	int level, shuffle; /* shuffle: 0 none, 1 bytes, 2 bits */
	bool blosc, gzip;
} field;

void field_store(const char *path, const field *f);
void field_open(const char *path); /* sets rank and shape */
int field_element(void);
void field_close(void);
void field_read(const box *b, char *buf);
uint64_t field_stored(void); /* bytes */

/* prepare cuts a field into pieces and compresses them; encode and decode do it again. */
void field_prepare(const field *f, long piece);
void field_encode(void);
void field_decode(char *out);

_Noreturn void refuse(const char *what);

#endif
