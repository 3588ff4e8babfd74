/* error.c - the message of the last failed call of a thread, and the names of codes and types. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The messages are allocated, because the variables of threads must be few and small: the Go
 * runtime needs that they are in the block that every thread has from its start, where there is
 * little room for libraries loaded by dlopen. */
#define MESSAGE 4096

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t messages;
static int have_messages;

static void make_key(void)
{
	have_messages = pthread_key_create(&messages, free) == 0;
}

void drxc_set_error(const char *text, size_t n)
{
	char *message;

	pthread_once(&once, make_key);
	if (!have_messages)
		return;
	message = pthread_getspecific(messages);
	if (!message) {
		message = malloc(MESSAGE);
		if (!message)
			return;
		if (pthread_setspecific(messages, message) != 0) {
			free(message);
			return;
		}
	}
	if (n >= MESSAGE)
		for (n = MESSAGE - 1; n > 0 && (text[n] & 0xC0) == 0x80;) /* not within a character */
			n--;
	memcpy(message, text, n);
	message[n] = 0;
}

int drxc_failed(int code, const char *function, const char *text)
{
	char message[256];
	int n = snprintf(message, sizeof message, "%s: %s", function, text);

	drxc_set_error(message, (size_t)n);
	return code;
}

const char *drx_error(void)
{
	const char *message;

	pthread_once(&once, make_key);
	message = have_messages ? pthread_getspecific(messages) : NULL;
	return message ? message : "";
}

static const char *const code_names[] = {
	"DRX_OK", "DRX_EHANDLE", "DRX_ECLOSED", "DRX_EINVAL", "DRX_ERANK", "DRX_EBOUNDS", "DRX_EOVERFLOW", "DRX_EDTYPE",
	"DRX_ESIZE", "DRX_EREADONLY", "DRX_ELOCKED", "DRX_EVERSION", "DRX_ECORRUPT", "DRX_EINCOMPLETE", "DRX_ENOTEXIST",
	"DRX_EEXIST", "DRX_EPERM", "DRX_ENOSPC", "DRX_EIO", "DRX_ENOATTR", "DRX_EMEMORY", "DRX_EMISMATCH", "DRX_EDATASET",
	"DRX_EVALUE", "DRX_ECANCELLED", "DRX_EBUSY", "DRX_EFORK", "DRX_EINTERNAL",
	"DRX_ESTALE", "DRX_EFENCED", "DRX_EGONE",
};

#ifdef DRX_WITH_MPI
static const char *const mp_code_names[] = {"DRXMP_EDISAGREE", "DRXMP_EFAILED", "DRXMP_ETIMEOUT", "DRXMP_ETHREAD"};
#endif

const char *drx_code_name(int code)
{
#ifdef DRX_WITH_MPI
	if (code >= 100 && (size_t)code < 100 + sizeof mp_code_names / sizeof *mp_code_names)
		return mp_code_names[code - 100];
#endif
	if (code < 0 || (size_t)code >= sizeof code_names / sizeof *code_names)
		return "unknown code";
	return code_names[code];
}

int drx_abi(void)
{
	return DRX_ABI;
}

/* The types by their numbers; package dtype has the same ones, which a test compares. */
static const struct {
	const char *name;
	size_t size;
} types[] = {
	{NULL, 0}, {"bool", 1}, {"int8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8}, {"uint8", 1}, {"uint16", 2},
	{"uint32", 4}, {"uint64", 8}, {"float16", 2}, {"bfloat16", 2}, {"float32", 4}, {"float64", 8}, {"complex64", 8},
	{"complex128", 16},
};

#define TYPES ((int)(sizeof types / sizeof *types))

const char *drx_dtype_name(int dtype)
{
	return dtype > 0 && dtype < TYPES ? types[dtype].name : NULL;
}

size_t drx_dtype_size(int dtype)
{
	return dtype > 0 && dtype < TYPES ? types[dtype].size : 0;
}

int drx_dtype_parse(const char *name)
{
	for (int t = 1; name && t < TYPES; t++)
		if (strcmp(name, types[t].name) == 0)
			return t;
	return DRX_RAW;
}
