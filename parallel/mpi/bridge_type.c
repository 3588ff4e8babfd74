//go:build mpi && cgo

#include "bridge_type.h"

#include <limits.h>

// large makes a type of more elements than INT_MAX: of units of 1 Gi elements, and the rest.
static int large(MPI_Datatype element, size_t size, size_t n, MPI_Datatype *t) {
	const size_t unit = (size_t)1 << 30;
	size_t units = n / unit;
	int lengths[2] = {(int)units, (int)(n % unit)};
	MPI_Aint at[2] = {0, (MPI_Aint)(units * unit * size)};
	MPI_Datatype types[2] = {MPI_DATATYPE_NULL, element};
	int err = units > INT_MAX ? MPI_ERR_COUNT : MPI_SUCCESS;
	ok(err, MPI_Type_contiguous((int)unit, element, &types[0]));
	ok(err, MPI_Type_create_struct(2, lengths, at, types, t));
	if (types[0] != MPI_DATATYPE_NULL)
		MPI_Type_free(&types[0]);
	return err;
}

int bridge_block(MPI_Datatype element, size_t size, size_t n, MPI_Datatype *t) {
	int err = n <= INT_MAX ? MPI_Type_contiguous((int)n, element, t) : large(element, size, n, t);
	return ok(err, MPI_Type_commit(t));
}

int bridge_strided(MPI_Datatype element, size_t size, bridge_layout l, MPI_Datatype *t) {
	int d, err = bridge_block(element, size, l.bytes / size, t);
	for (d = l.dims - 1; err == MPI_SUCCESS && d >= 0; d--) {
		MPI_Datatype inner = *t;
		ok(err, l.count[d] > INT_MAX ? MPI_ERR_COUNT : MPI_SUCCESS);
		ok(err, MPI_Type_create_hvector((int)l.count[d], 1, (MPI_Aint)l.stride[d], inner, t));
		MPI_Type_free(&inner);
		ok(err, MPI_Type_commit(t));
	}
	return err;
}

// In the order of the constants of package dtype, those that can be reduced.
MPI_Datatype bridge_element(int type) {
	switch (type) {
	case 1: return MPI_C_BOOL;
	case 2: return MPI_INT8_T;
	case 3: return MPI_INT16_T;
	case 4: return MPI_INT32_T;
	case 5: return MPI_INT64_T;
	case 6: return MPI_UINT8_T;
	case 7: return MPI_UINT16_T;
	case 8: return MPI_UINT32_T;
	case 9: return MPI_UINT64_T;
	case 12: return MPI_FLOAT;
	case 13: return MPI_DOUBLE;
	case 14: return MPI_C_FLOAT_COMPLEX;
	case 15: return MPI_C_DOUBLE_COMPLEX;
	}
	return MPI_DATATYPE_NULL;
}

MPI_Op bridge_op(int op, int type) {
	switch (op) {
	case 1: return MPI_SUM;
	case 2: return MPI_PROD;
	case 3: return MPI_MIN;
	case 4: return MPI_MAX;
	case 5: return type == 1 ? MPI_LAND : MPI_BAND;
	case 6: return type == 1 ? MPI_LOR : MPI_BOR;
	}
	return MPI_OP_NULL;
}
