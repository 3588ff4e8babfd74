#include "textflag.h"

// In all kernels: SI is the source, DI the destination, CX the number of groups of 32 elements
// left, BX the number of bytes between planes. A vector has two lanes of 16 bytes, and instructions
// for bytes work within a lane. The lower lane has the first 16 elements of a group and the upper
// one the next 16, so that each lane is shuffled separately.

// Indices, within a lane, that sort the bytes of elements of 2, 4 and 8 bytes.
DATA sort2<>+0(SB)/8, $0x0e0c0a0806040200
DATA sort2<>+8(SB)/8, $0x0f0d0b0907050301
DATA sort2<>+16(SB)/8, $0x0e0c0a0806040200
DATA sort2<>+24(SB)/8, $0x0f0d0b0907050301
GLOBL sort2<>(SB), RODATA|NOPTR, $32

DATA sort4<>+0(SB)/8, $0x0d0905010c080400
DATA sort4<>+8(SB)/8, $0x0f0b07030e0a0602
DATA sort4<>+16(SB)/8, $0x0d0905010c080400
DATA sort4<>+24(SB)/8, $0x0f0b07030e0a0602
GLOBL sort4<>(SB), RODATA|NOPTR, $32

DATA sort8<>+0(SB)/8, $0x0b030a0209010800
DATA sort8<>+8(SB)/8, $0x0f070e060d050c04
DATA sort8<>+16(SB)/8, $0x0b030a0209010800
DATA sort8<>+24(SB)/8, $0x0f070e060d050c04
GLOBL sort8<>(SB), RODATA|NOPTR, $32

#define ARGUMENTS \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ groups+16(FP), CX; \
	MOVQ plane+24(FP), BX

// STRIDE loads the bytes between elements, and between the elements of the two lanes.
#define STRIDE \
	MOVQ stride+32(FP), DX; \
	MOVQ DX, R10; \
	SHLQ $4, R10; \
	LEAQ (R10)(DX*1), R11

// PLANES sets R8 to three planes, and R9 to the fourth plane after BASE.
#define PLANES(BASE) \
	LEAQ (BX)(BX*2), R8; \
	LEAQ (BASE)(BX*4), R9

// LOAD loads 16 bytes at offset into the lower lane and 16 bytes at upper into the upper lane.
#define LOAD(offset, upper, x, y) \
	VMOVDQU     offset(SI), x; \
	VINSERTI128 $1, upper(SI), y, y

#define STORE(offset, upper, x, y) \
	VMOVDQU      x, offset(DI); \
	VEXTRACTI128 $1, y, upper(DI)

// func shuffle2(dst, src *byte, groups, plane int)
TEXT ·shuffle2(SB), NOSPLIT, $0-32
	ARGUMENTS
	VMOVDQU sort2<>(SB), Y15

next:
	LOAD(0, 32, X0, Y0)
	LOAD(16, 48, X1, Y1)
	VPSHUFB     Y15, Y0, Y0
	VPSHUFB     Y15, Y1, Y1
	VPUNPCKLQDQ Y1, Y0, Y2
	VPUNPCKHQDQ Y1, Y0, Y3
	VMOVDQU     Y2, (DI)
	VMOVDQU     Y3, (DI)(BX*1)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// func unshuffle2(dst, src *byte, groups, plane int)
TEXT ·unshuffle2(SB), NOSPLIT, $0-32
	ARGUMENTS

next:
	VMOVDQU    (SI), Y0
	VMOVDQU    (SI)(BX*1), Y1
	VPUNPCKLBW Y1, Y0, Y2
	VPUNPCKHBW Y1, Y0, Y3
	STORE(0, 32, X2, Y2)
	STORE(16, 48, X3, Y3)
	ADDQ $32, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// func shuffle4(dst, src *byte, groups, plane int)
TEXT ·shuffle4(SB), NOSPLIT, $0-32
	ARGUMENTS
	PLANES(DI)
	VMOVDQU sort4<>(SB), Y15

next:
	LOAD(0, 64, X0, Y0)
	LOAD(16, 80, X1, Y1)
	LOAD(32, 96, X2, Y2)
	LOAD(48, 112, X3, Y3)
	VPSHUFB     Y15, Y0, Y0
	VPSHUFB     Y15, Y1, Y1
	VPSHUFB     Y15, Y2, Y2
	VPSHUFB     Y15, Y3, Y3
	VPUNPCKLDQ  Y1, Y0, Y4
	VPUNPCKHDQ  Y1, Y0, Y5
	VPUNPCKLDQ  Y3, Y2, Y6
	VPUNPCKHDQ  Y3, Y2, Y7
	VPUNPCKLQDQ Y6, Y4, Y0
	VPUNPCKHQDQ Y6, Y4, Y1
	VPUNPCKLQDQ Y7, Y5, Y2
	VPUNPCKHQDQ Y7, Y5, Y3
	VMOVDQU     Y0, (DI)
	VMOVDQU     Y1, (DI)(BX*1)
	VMOVDQU     Y2, (DI)(BX*2)
	VMOVDQU     Y3, (DI)(R8*1)
	ADDQ $128, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// func unshuffle4(dst, src *byte, groups, plane int)
TEXT ·unshuffle4(SB), NOSPLIT, $0-32
	ARGUMENTS
	PLANES(SI)

next:
	VMOVDQU    (SI), Y0
	VMOVDQU    (SI)(BX*1), Y1
	VMOVDQU    (SI)(BX*2), Y2
	VMOVDQU    (SI)(R8*1), Y3
	VPUNPCKLBW Y1, Y0, Y4
	VPUNPCKHBW Y1, Y0, Y5
	VPUNPCKLBW Y3, Y2, Y6
	VPUNPCKHBW Y3, Y2, Y7
	VPUNPCKLWD Y6, Y4, Y0
	VPUNPCKHWD Y6, Y4, Y1
	VPUNPCKLWD Y7, Y5, Y2
	VPUNPCKHWD Y7, Y5, Y3
	STORE(0, 64, X0, Y0)
	STORE(16, 80, X1, Y1)
	STORE(32, 96, X2, Y2)
	STORE(48, 112, X3, Y3)
	ADDQ $32, SI
	ADDQ $128, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// SORT8 sorts the bytes of elements of 8 bytes, two in each lane of registers 0 to 7, into planes
// in registers 8 to 15.
#define SORT8 \
	VPSHUFB     sort8<>(SB), Y0, Y0; \
	VPSHUFB     sort8<>(SB), Y1, Y1; \
	VPSHUFB     sort8<>(SB), Y2, Y2; \
	VPSHUFB     sort8<>(SB), Y3, Y3; \
	VPSHUFB     sort8<>(SB), Y4, Y4; \
	VPSHUFB     sort8<>(SB), Y5, Y5; \
	VPSHUFB     sort8<>(SB), Y6, Y6; \
	VPSHUFB     sort8<>(SB), Y7, Y7; \
	VPUNPCKLWD  Y1, Y0, Y8; \
	VPUNPCKHWD  Y1, Y0, Y9; \
	VPUNPCKLWD  Y3, Y2, Y10; \
	VPUNPCKHWD  Y3, Y2, Y11; \
	VPUNPCKLWD  Y5, Y4, Y12; \
	VPUNPCKHWD  Y5, Y4, Y13; \
	VPUNPCKLWD  Y7, Y6, Y14; \
	VPUNPCKHWD  Y7, Y6, Y15; \
	VPUNPCKLDQ  Y10, Y8, Y0; \
	VPUNPCKHDQ  Y10, Y8, Y1; \
	VPUNPCKLDQ  Y11, Y9, Y2; \
	VPUNPCKHDQ  Y11, Y9, Y3; \
	VPUNPCKLDQ  Y14, Y12, Y4; \
	VPUNPCKHDQ  Y14, Y12, Y5; \
	VPUNPCKLDQ  Y15, Y13, Y6; \
	VPUNPCKHDQ  Y15, Y13, Y7; \
	VPUNPCKLQDQ Y4, Y0, Y8; \
	VPUNPCKHQDQ Y4, Y0, Y9; \
	VPUNPCKLQDQ Y5, Y1, Y10; \
	VPUNPCKHQDQ Y5, Y1, Y11; \
	VPUNPCKLQDQ Y6, Y2, Y12; \
	VPUNPCKHQDQ Y6, Y2, Y13; \
	VPUNPCKLQDQ Y7, Y3, Y14; \
	VPUNPCKHQDQ Y7, Y3, Y15

#define STOREPLANES \
	VMOVDQU Y8, (DI); \
	VMOVDQU Y9, (DI)(BX*1); \
	VMOVDQU Y10, (DI)(BX*2); \
	VMOVDQU Y11, (DI)(R8*1); \
	VMOVDQU Y12, (R9); \
	VMOVDQU Y13, (R9)(BX*1); \
	VMOVDQU Y14, (R9)(BX*2); \
	VMOVDQU Y15, (R9)(R8*1)

// func shuffle8(dst, src *byte, groups, plane int)
TEXT ·shuffle8(SB), NOSPLIT, $0-32
	ARGUMENTS
	PLANES(DI)

next:
	LOAD(0, 128, X0, Y0)
	LOAD(16, 144, X1, Y1)
	LOAD(32, 160, X2, Y2)
	LOAD(48, 176, X3, Y3)
	LOAD(64, 192, X4, Y4)
	LOAD(80, 208, X5, Y5)
	LOAD(96, 224, X6, Y6)
	LOAD(112, 240, X7, Y7)
	SORT8
	STOREPLANES
	ADDQ $256, SI
	ADDQ $32, DI
	ADDQ $32, R9
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// PAIRS loads 8 bytes of two elements into the lower lane, and of the elements 16 further into the
// upper lane.
#define PAIRS(x, y) \
	VMOVQ       (SI), x; \
	VPINSRQ     $1, (SI)(DX*1), x, x; \
	VMOVQ       (SI)(R10*1), X8; \
	VPINSRQ     $1, (SI)(R11*1), X8, X8; \
	VINSERTI128 $1, X8, y, y; \
	LEAQ        (SI)(DX*2), SI

// func shuffleColumns(dst, src *byte, groups, plane, stride int)
TEXT ·shuffleColumns(SB), NOSPLIT, $0-40
	ARGUMENTS
	PLANES(DI)
	STRIDE

next:
	PAIRS(X0, Y0)
	PAIRS(X1, Y1)
	PAIRS(X2, Y2)
	PAIRS(X3, Y3)
	PAIRS(X4, Y4)
	PAIRS(X5, Y5)
	PAIRS(X6, Y6)
	PAIRS(X7, Y7)
	SORT8
	STOREPLANES
	ADDQ R10, SI
	ADDQ $32, DI
	ADDQ $32, R9
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// MERGE8 is the inverse of SORT8, but also from registers 0 to 7 to registers 8 to 15.
#define MERGE8 \
	VPUNPCKLBW Y1, Y0, Y8; \
	VPUNPCKHBW Y1, Y0, Y9; \
	VPUNPCKLBW Y3, Y2, Y10; \
	VPUNPCKHBW Y3, Y2, Y11; \
	VPUNPCKLBW Y5, Y4, Y12; \
	VPUNPCKHBW Y5, Y4, Y13; \
	VPUNPCKLBW Y7, Y6, Y14; \
	VPUNPCKHBW Y7, Y6, Y15; \
	VPUNPCKLWD Y10, Y8, Y0; \
	VPUNPCKHWD Y10, Y8, Y1; \
	VPUNPCKLWD Y11, Y9, Y2; \
	VPUNPCKHWD Y11, Y9, Y3; \
	VPUNPCKLWD Y14, Y12, Y4; \
	VPUNPCKHWD Y14, Y12, Y5; \
	VPUNPCKLWD Y15, Y13, Y6; \
	VPUNPCKHWD Y15, Y13, Y7; \
	VPUNPCKLDQ Y4, Y0, Y8; \
	VPUNPCKHDQ Y4, Y0, Y9; \
	VPUNPCKLDQ Y5, Y1, Y10; \
	VPUNPCKHDQ Y5, Y1, Y11; \
	VPUNPCKLDQ Y6, Y2, Y12; \
	VPUNPCKHDQ Y6, Y2, Y13; \
	VPUNPCKLDQ Y7, Y3, Y14; \
	VPUNPCKHDQ Y7, Y3, Y15

#define LOADPLANES \
	VMOVDQU (SI), Y0; \
	VMOVDQU (SI)(BX*1), Y1; \
	VMOVDQU (SI)(BX*2), Y2; \
	VMOVDQU (SI)(R8*1), Y3; \
	VMOVDQU (R9), Y4; \
	VMOVDQU (R9)(BX*1), Y5; \
	VMOVDQU (R9)(BX*2), Y6; \
	VMOVDQU (R9)(R8*1), Y7

// func unshuffle8(dst, src *byte, groups, plane int)
TEXT ·unshuffle8(SB), NOSPLIT, $0-32
	ARGUMENTS
	PLANES(SI)

next:
	LOADPLANES
	MERGE8
	STORE(0, 128, X8, Y8)
	STORE(16, 144, X9, Y9)
	STORE(32, 160, X10, Y10)
	STORE(48, 176, X11, Y11)
	STORE(64, 192, X12, Y12)
	STORE(80, 208, X13, Y13)
	STORE(96, 224, X14, Y14)
	STORE(112, 240, X15, Y15)
	ADDQ $32, SI
	ADDQ $32, R9
	ADDQ $256, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// STOREPAIRS is the inverse of PAIRS.
#define STOREPAIRS(x, y) \
	VMOVQ        x, (DI); \
	VPEXTRQ      $1, x, (DI)(DX*1); \
	VEXTRACTI128 $1, y, X0; \
	VMOVQ        X0, (DI)(R10*1); \
	VPEXTRQ      $1, X0, (DI)(R11*1); \
	LEAQ         (DI)(DX*2), DI

// func unshuffleColumns(dst, src *byte, groups, plane, stride int)
TEXT ·unshuffleColumns(SB), NOSPLIT, $0-40
	ARGUMENTS
	PLANES(SI)
	STRIDE

next:
	LOADPLANES
	MERGE8
	STOREPAIRS(X8, Y8)
	STOREPAIRS(X9, Y9)
	STOREPAIRS(X10, Y10)
	STOREPAIRS(X11, Y11)
	STOREPAIRS(X12, Y12)
	STOREPAIRS(X13, Y13)
	STOREPAIRS(X14, Y14)
	STOREPAIRS(X15, Y15)
	ADDQ R10, DI
	ADDQ $32, SI
	ADDQ $32, R9
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET

// EXCHANGE exchanges the bits of a matrix selected by MASK with the bits SHIFT positions above
// them.
#define EXCHANGE(SHIFT, MASK, m, x) \
	VPSRLQ $SHIFT, m, x; \
	VPXOR  m, x, x; \
	VPAND  MASK, x, x; \
	VPXOR  x, m, m; \
	VPSLLQ $SHIFT, x, x; \
	VPXOR  x, m, m

DATA masks<>+0(SB)/8, $0x00aa00aa00aa00aa
DATA masks<>+8(SB)/8, $0x0000cccc0000cccc
DATA masks<>+16(SB)/8, $0x00000000f0f0f0f0
GLOBL masks<>(SB), RODATA|NOPTR, $24

// func transposeAll(dst, src *byte, groups int)
TEXT ·transposeAll(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ groups+16(FP), CX
	VPBROADCASTQ masks<>+0(SB), Y13
	VPBROADCASTQ masks<>+8(SB), Y14
	VPBROADCASTQ masks<>+16(SB), Y15

next:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	EXCHANGE(7, Y13, Y0, Y4)
	EXCHANGE(7, Y13, Y1, Y5)
	EXCHANGE(14, Y14, Y0, Y4)
	EXCHANGE(14, Y14, Y1, Y5)
	EXCHANGE(28, Y15, Y0, Y4)
	EXCHANGE(28, Y15, Y1, Y5)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET
