/* The limit of compression: C-Blosc with one thread, in memory. */
#include "field.h"

#include <blosc.h>
#include <stdlib.h>
#include <string.h>

static field of;
static long length, count; /* of pieces */
static char **frames;
static uint64_t stored;

static long piece_size(long i) { return i + 1 < count ? length : of.size - i * length; }

void field_prepare(const field *f, long piece) {
	static char codec[64];
	for (long i = 0; i < count; i++) free(frames[i]);
	free(frames);
	if (!f->blosc) refuse("another codec than blosc");
	of = *f, length = piece, count = (f->size + piece - 1) / piece;
	of.codec = strncpy(codec, f->codec, sizeof codec - 1);
	frames = grab(count * sizeof *frames);
	for (long i = 0; i < count; i++) frames[i] = grab(piece_size(i) + BLOSC_MAX_OVERHEAD);
	field_encode();
}

void field_encode(void) {
	stored = 0;
	for (long i = 0; i < count; i++) {
		size_t n = piece_size(i);
		int got = blosc_compress_ctx(of.level, of.shuffle, of.element, n, of.bytes + i * length, frames[i], n + BLOSC_MAX_OVERHEAD, of.codec, 0, 1);
		if (got <= 0) die("blosc_compress_ctx failed");
		stored += got;
	}
}

void field_decode(char *out) {
	for (long i = 0; i < count; i++)
		if (blosc_decompress_ctx(frames[i], out, length, 1) != piece_size(i)) die("blosc_decompress_ctx failed");
}

uint64_t field_stored(void) { return stored; }
