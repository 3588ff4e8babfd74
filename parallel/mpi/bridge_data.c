//go:build mpi && cgo

#include "bridge_type.h"

#include <stdlib.h>

int bridge_barrier(MPI_Comm c) { return MPI_Barrier(c); }

int bridge_bcast(MPI_Comm c, void *buf, size_t n, int root) {
	const size_t most = (size_t)1 << 30;
	int err = MPI_SUCCESS;
	for (; err == MPI_SUCCESS && n > 0; n -= n < most ? n : most, buf = (char *)buf + most)
		err = MPI_Bcast(buf, (int)(n < most ? n : most), MPI_BYTE, root, c);
	return err;
}

int bridge_allgather(MPI_Comm c, int64_t mine, int64_t *all) {
	return MPI_Allgather(&mine, 1, MPI_INT64_T, all, 1, MPI_INT64_T, c);
}

int bridge_gatherv(MPI_Comm c, void *in, int n, void *out, int *counts, int *at, int root) {
	return MPI_Gatherv(in, n, MPI_BYTE, out, counts, at, MPI_BYTE, root, c);
}

int bridge_allgatherv(MPI_Comm c, void *in, int n, void *out, int *counts, int *at) {
	return MPI_Allgatherv(in, n, MPI_BYTE, out, counts, at, MPI_BYTE, c);
}

// type_at makes a type of n bytes at an address: MPI_Alltoallw has only ints for places.
static int type_at(uintptr_t address, int64_t n, MPI_Datatype *t, int *count) {
	MPI_Datatype block;
	MPI_Aint at = (MPI_Aint)address;
	int one = 1, err;
	*count = n > 0;
	*t = MPI_BYTE;
	if (n == 0)
		return MPI_SUCCESS;
	if ((err = bridge_block(MPI_BYTE, 1, (size_t)n, &block)) != MPI_SUCCESS)
		return err;
	ok(err, MPI_Type_create_hindexed(1, &one, &at, block, t));
	ok(err, MPI_Type_commit(t));
	MPI_Type_free(&block);
	return err;
}

int bridge_alltoall(MPI_Comm c, int procs, uintptr_t *out, int64_t *outn, uintptr_t *in, int64_t *inn) {
	MPI_Datatype *types = malloc(2 * (size_t)procs * sizeof *types);
	int *counts = malloc(2 * (size_t)procs * sizeof *counts);
	int *zeros = calloc((size_t)procs, sizeof *zeros);
	int i, err = types && counts && zeros ? MPI_SUCCESS : MPI_ERR_NO_MEM, made = 0;
	for (; err == MPI_SUCCESS && made < 2 * procs; made++)
		err = made < procs ? type_at(out[made], outn[made], &types[made], &counts[made])
		                   : type_at(in[made - procs], inn[made - procs], &types[made], &counts[made]);
	ok(err, MPI_Alltoallw(MPI_BOTTOM, counts, zeros, types, MPI_BOTTOM, counts + procs, zeros, types + procs, c));
	for (i = 0; i < made; i++)
		if (counts[i] > 0)
			MPI_Type_free(&types[i]);
	free(types);
	free(counts);
	free(zeros);
	return err;
}

int bridge_allreduce(MPI_Comm c, void *buf, size_t elements, size_t size, int type, int op) {
	const size_t most = (size_t)1 << 28;
	int err = MPI_SUCCESS;
	while (err == MPI_SUCCESS && elements > 0) {
		size_t n = elements < most ? elements : most;
		err = MPI_Allreduce(MPI_IN_PLACE, buf, (int)n, bridge_element(type), bridge_op(op, type), c);
		buf = (char *)buf + n * size;
		elements -= n;
	}
	return err;
}

int bridge_alltoall_lengths(MPI_Comm c, int64_t *mine, int64_t *theirs) {
	return MPI_Alltoall(mine, 1, MPI_INT64_T, theirs, 1, MPI_INT64_T, c);
}
