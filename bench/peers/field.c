/* The protocol of the peers in C that compress: requests and answers as in peer.c, the verbs are
 * those of childcodec.go. */
#define _GNU_SOURCE
#include "field.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static jmp_buf next_request;

_Noreturn void refuse(const char *what) {
	printf("unsupported %s\n", what);
	longjmp(next_request, 1);
}

/* ---- defaults for peers ---- */

__attribute__((weak)) void field_store(const char *path, const field *f) { (void)path, (void)f, refuse("store"); }
__attribute__((weak)) void field_open(const char *path) { (void)path, refuse("use"); }
__attribute__((weak)) int field_element(void) { refuse("use"); }
__attribute__((weak)) void field_close(void) {}
__attribute__((weak)) void field_read(const box *b, char *buf) { (void)b, (void)buf, refuse("read"); }
__attribute__((weak)) void field_prepare(const field *f, long piece) { (void)f, (void)piece, refuse("encode"); }
__attribute__((weak)) void field_encode(void) { refuse("encode"); }
__attribute__((weak)) void field_decode(char *out) { (void)out, refuse("decode"); }

/* ---- what was read ---- */

static uint64_t check;

/* check_of is checkOf of childcodec.go. */
static uint64_t check_of(const char *b, long n) {
	uint64_t sum = 0, i = 1, word;
	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&word, b, 8);
		sum += word * i;
		i = i % 1009 + 1;
	}
	for (; n > 0; n--) sum += (unsigned char)*b++;
	return sum;
}

/* ---- requests ---- */

/* map_field maps the elements of the request. */
static field map_field(void) {
	const char *type = arg("type", "u1");
	static char codec[64];
	char *shuffle;
	struct stat st;
	field f = {.kind = type[0], .element = type[1] - '0', .codec = codec};
	rank = numbers("shape", shape);
	numbers("chunk", f.chunk);
	int fd = open(arg("field", ""), O_RDONLY);
	f.size = volume(rank, shape) * f.element;
	if (fd < 0 || fstat(fd, &st) || st.st_size < f.size) die("no field %s of %ld bytes", arg("field", ""), f.size);
	f.bytes = mmap(NULL, f.size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (f.bytes == MAP_FAILED) die("no memory for %s", arg("field", ""));
	close(fd);
	snprintf(codec, sizeof codec, "%s", arg("codec", "none"));
	f.blosc = !strncmp(codec, "blosc:", 6), f.gzip = !strncmp(codec, "gzip:", 5);
	if (!f.blosc && !f.gzip) {
		if (strcmp(codec, "none")) refuse(codec);
		return f;
	}
	if (f.blosc) f.codec = codec + 6;
	char *level = strchr(f.codec, ':');
	*level++ = 0;
	f.level = strtol(level, &shuffle, 10);
	f.shuffle = !strcmp(shuffle, ":shuffle") ? 1 : !strcmp(shuffle, ":bitshuffle") ? 2 : 0;
	return f;
}

static void do_store(void) {
	field f = map_field();
	field_close();
	clock_begin();
	field_store(arg("path", ""), &f);
	clock_end(1);
	munmap(f.bytes, f.size);
}

static void do_whole(void) {
	box b = {{0}, {0}};
	memcpy(b.size, shape, sizeof shape);
	long n = volume(rank, shape) * field_element();
	char *buf = grab(n);
	clock_begin();
	field_read(&b, buf);
	clock_end(1);
	check = check_of(buf, n);
	free(buf);
}

static void do_part(void) {
	long n = number("n", 1), rounds = number("rounds", 1), size[MAX_RANK];
	uint64_t seed = number("seed", 1);
	numbers("size", size);
	long bytes = volume(rank, size) * field_element();
	box *at = grab(n * sizeof *at);
	char *buf = grab(bytes);
	for (long r = 0; r < rounds; r++) {
		for (long i = 0; i < n; i++)
			for (int d = 0; d < rank; d++) {
				at[i].size[d] = size[d];
				at[i].lo[d] = mix(seed + 1000 * r, i, d) % (shape[d] - size[d] + 1);
			}
		clock_begin();
		for (long i = 0; i < n; i++) field_read(at + i, buf);
		clock_end(n);
		if (r == 0) check = check_of(buf, bytes);
	}
	free(at), free(buf);
}

static void do_pack(bool decode) {
	field f = map_field();
	long piece = number("piece", f.size);
	if (piece > f.size) piece = f.size;
	char *out = grab(piece);
	field_prepare(&f, piece);
	field_decode(out);
	for (long r = number("rounds", 1); r > 0; r--) {
		clock_begin();
		if (decode)
			field_decode(out);
		else
			field_encode();
		clock_end(1);
	}
	check = check_of(out, piece);
	free(out);
	munmap(f.bytes, f.size);
}

static void serve(const char *verb) {
	if (!strcmp(verb, "store")) do_store();
	else if (!strcmp(verb, "use")) field_open(arg("path", ""));
	else if (!strcmp(verb, "whole")) do_whole();
	else if (!strcmp(verb, "part")) do_part();
	else if (!strcmp(verb, "size")) check = field_stored();
	else if (!strcmp(verb, "encode")) do_pack(false);
	else if (!strcmp(verb, "decode")) do_pack(true);
	else if (!strcmp(verb, "close")) field_close();
	else refuse(verb);
}

int main(void) {
	static char line[4096];
	const char *verb;
	setjmp(next_request);
	for (;;) {
		fflush(stdout);
		if (!fgets(line, sizeof line, stdin)) return 0;
		if (!(verb = split_request(line))) continue;
		wall = cpu = operations = 0, check = 0;
		serve(verb);
		printf("ok %lld %lld %lld %llu\n", (long long)wall, (long long)cpu, (long long)operations, (unsigned long long)check);
	}
}
