#include "textflag.h"

// FOLD adds a lane of the string folded so far, times the factors in Z10, to the next data.
#define FOLD(SOFAR, DATA) \
	VPCLMULQDQ $0x00, Z10, SOFAR, Z8 \
	VPCLMULQDQ $0x11, Z10, SOFAR, Z9 \
	VPTERNLOGD $0x96, Z8, Z9, DATA   \
	VMOVDQA64  DATA, SOFAR

// LOADSOFAR loads the string folded so far, and the factors.
#define LOADSOFAR \
	VBROADCASTI32X4 (BX), Z10 \
	VMOVDQU64 (DX), Z0        \
	VMOVDQU64 64(DX), Z1      \
	VMOVDQU64 128(DX), Z2     \
	VMOVDQU64 192(DX), Z3

// LOADBLOCK loads a block.
#define LOADBLOCK \
	VMOVDQU64 (SI), Z4    \
	VMOVDQU64 64(SI), Z5  \
	VMOVDQU64 128(SI), Z6 \
	VMOVDQU64 192(SI), Z7 \
	ADDQ      $256, SI

// FOLDBLOCK folds the string so far into the block that was loaded.
#define FOLDBLOCK \
	FOLD(Z0, Z4) \
	FOLD(Z1, Z5) \
	FOLD(Z2, Z6) \
	FOLD(Z3, Z7)

// STORESOFAR stores the string so far.
#define STORESOFAR \
	VMOVDQU64 Z0, (DX)    \
	VMOVDQU64 Z1, 64(DX)  \
	VMOVDQU64 Z2, 128(DX) \
	VMOVDQU64 Z3, 192(DX) \
	VZEROUPPER

// func foldBlocks(sofar *block, factors *[2]uint64, src unsafe.Pointer, n int)
TEXT ·foldBlocks(SB), NOSPLIT, $0-32
	MOVQ sofar+0(FP), DX
	MOVQ factors+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ n+24(FP), CX

	LOADSOFAR

next:
	LOADBLOCK
	FOLDBLOCK
	SUBQ $256, CX
	JNZ  next

	STORESOFAR
	RET

// func foldRows(sofar *block, factors *[2]uint64, dst, src unsafe.Pointer, run, rows, stride, ahead int)
TEXT ·foldRows(SB), NOSPLIT, $0-64
	MOVQ sofar+0(FP), DX
	MOVQ factors+8(FP), BX
	MOVQ dst+16(FP), DI
	MOVQ src+24(FP), SI
	MOVQ run+32(FP), R8
	MOVQ rows+40(FP), R9
	MOVQ stride+48(FP), R10
	MOVQ ahead+56(FP), R11

	LOADSOFAR

row:
	// Prefetching an invalid address is harmless.
	PREFETCHT0 (DI)(R11*1)
	MOVQ DI, AX
	MOVQ R8, CX

next:
	LOADBLOCK
	VMOVNTDQ  Z4, (AX)
	VMOVNTDQ  Z5, 64(AX)
	VMOVNTDQ  Z6, 128(AX)
	VMOVNTDQ  Z7, 192(AX)
	FOLDBLOCK
	ADDQ $256, AX
	SUBQ $256, CX
	JNZ  next

	ADDQ R10, DI
	DECQ R9
	JNZ  row

	STORESOFAR
	RET
