#include "textflag.h"

// func streamLines(dst, src unsafe.Pointer, n, ahead int)
TEXT ·streamLines(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ ahead+24(FP), AX

	// Prefetching an invalid address is harmless.
	PREFETCHT0 (DI)(AX*1)

next:
	MOVOU  (SI), X0
	MOVOU  16(SI), X1
	MOVOU  32(SI), X2
	MOVOU  48(SI), X3
	MOVNTO X0, (DI)
	MOVNTO X1, 16(DI)
	MOVNTO X2, 32(DI)
	MOVNTO X3, 48(DI)
	ADDQ   $64, SI
	ADDQ   $64, DI
	SUBQ   $64, CX
	JNZ    next
	RET

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	SFENCE
	RET

// func copyLines(dst, src unsafe.Pointer, n, ahead int)
TEXT ·copyLines(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ ahead+24(FP), AX
	ADDQ SI, AX

next:
	PREFETCHT0 (AX)
	MOVOU      (SI), X0
	MOVOU      16(SI), X1
	MOVOU      32(SI), X2
	MOVOU      48(SI), X3
	MOVOU      X0, (DI)
	MOVOU      X1, 16(DI)
	MOVOU      X2, 32(DI)
	MOVOU      X3, 48(DI)
	ADDQ       $64, AX
	ADDQ       $64, SI
	ADDQ       $64, DI
	SUBQ       $64, CX
	JNZ        next
	RET
