#ifndef DRX_BRIDGE_TYPE_H
#define DRX_BRIDGE_TYPE_H

#include "bridge.h"

// bridge_block makes a committed type of n contiguous elements, of which there may be more than an
// int can count.
int bridge_block(MPI_Datatype element, size_t size, size_t n, MPI_Datatype *t);

// bridge_strided makes a committed type of a layout, without its offset.
int bridge_strided(MPI_Datatype element, size_t size, bridge_layout l, MPI_Datatype *t);

// bridge_element and bridge_op give what stands for a dtype.DType and a par.Op, which were checked.
MPI_Datatype bridge_element(int type);
MPI_Op bridge_op(int op, int type);

// ok goes on with the next step unless one before has failed.
#define ok(err, step) ((err) == MPI_SUCCESS ? (err) = (step) : (err))

#endif
