//go:build mpi && cgo

#include "bridge_type.h"

#include <limits.h>
#include <string.h>

// Every window is open to all for all of its life. Sizes are rounded up: MPICH 4.0 moves wrong
// bytes where the memory of a proc does not begin at a multiple of 16.
int bridge_win_new(MPI_Comm c, size_t n, void **memory, MPI_Win *w) {
	size_t whole = (n + 63) / 64 * 64;
	int err = MPI_Win_allocate((MPI_Aint)whole, 1, MPI_INFO_NULL, c, memory, w);
	ok(err, MPI_Win_set_errhandler(*w, MPI_ERRORS_RETURN));
	if (err == MPI_SUCCESS && whole > 0)
		memset(*memory, 0, whole);
	ok(err, MPI_Win_lock_all(MPI_MODE_NOCHECK, *w));
	return err;
}

int bridge_win_free(MPI_Win *w) {
	int err = MPI_Win_unlock_all(*w);
	return ok(err, MPI_Win_free(w));
}

int bridge_win_sync(MPI_Win w) { return MPI_Win_sync(w); }
int bridge_win_flush(MPI_Win w, int proc) { return MPI_Win_flush(proc, w); }
int bridge_win_flush_all(MPI_Win w) { return MPI_Win_flush_all(w); }

// A side is a layout as MPI wants it: so many elements of a type.
typedef struct {
	MPI_Datatype type;
	int count, made;
} side;

// side_of takes contiguous bytes as they are: no type need be made for the most frequent case.
static int side_of(MPI_Datatype element, size_t size, bridge_layout l, side *s) {
	int err;
	s->made = 0;
	if (l.dims == 0 && l.bytes / size <= INT_MAX) {
		s->type = element;
		s->count = (int)(l.bytes / size);
		return MPI_SUCCESS;
	}
	err = bridge_strided(element, size, l, &s->type);
	s->count = 1;
	s->made = err == MPI_SUCCESS;
	return err;
}

static int sides(MPI_Datatype element, size_t size, bridge_layout there, bridge_layout here, side s[2]) {
	int err = side_of(element, size, there, &s[0]);
	s[1].made = 0;
	return ok(err, side_of(element, size, here, &s[1]));
}

static int done(int err, side s[2]) {
	int i;
	for (i = 0; i < 2; i++)
		if (s[i].made)
			MPI_Type_free(&s[i].type);
	return err;
}

int bridge_get(MPI_Win w, int proc, bridge_layout there, void *buf, bridge_layout here) {
	side s[2];
	int err = sides(MPI_BYTE, 1, there, here, s);
	ok(err, MPI_Get((char *)buf + here.offset, s[1].count, s[1].type, proc, (MPI_Aint)there.offset,
		s[0].count, s[0].type, w));
	ok(err, MPI_Win_flush(proc, w));
	return done(err, s);
}

int bridge_put(MPI_Win w, int proc, bridge_layout there, void *buf, bridge_layout here) {
	side s[2];
	int err = sides(MPI_BYTE, 1, there, here, s);
	ok(err, MPI_Put((char *)buf + here.offset, s[1].count, s[1].type, proc, (MPI_Aint)there.offset,
		s[0].count, s[0].type, w));
	ok(err, MPI_Win_flush_local(proc, w));
	return done(err, s);
}

int bridge_accumulate(MPI_Win w, int proc, bridge_layout there, void *buf, bridge_layout here, size_t size, int type, int op) {
	side s[2];
	int err = sides(bridge_element(type), size, there, here, s);
	ok(err, MPI_Accumulate((char *)buf + here.offset, s[1].count, s[1].type, proc, (MPI_Aint)there.offset,
		s[0].count, s[0].type, bridge_op(op, type), w));
	ok(err, MPI_Win_flush_local(proc, w));
	return done(err, s);
}
