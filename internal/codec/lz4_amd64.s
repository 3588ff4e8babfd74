#include "textflag.h"

// For matches with a distance of 1 to 15 bytes: masks that repeat the bytes of the match up to 16
// bytes (repeats), and how many of the 16 bytes are whole repetitions (steps).
DATA repeats<>+0(SB)/8, $0x0706050403020100
DATA repeats<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA repeats<>+16(SB)/8, $0x0000000000000000
DATA repeats<>+24(SB)/8, $0x0000000000000000
DATA repeats<>+32(SB)/8, $0x0100010001000100
DATA repeats<>+40(SB)/8, $0x0100010001000100
DATA repeats<>+48(SB)/8, $0x0100020100020100
DATA repeats<>+56(SB)/8, $0x0002010002010002
DATA repeats<>+64(SB)/8, $0x0302010003020100
DATA repeats<>+72(SB)/8, $0x0302010003020100
DATA repeats<>+80(SB)/8, $0x0201000403020100
DATA repeats<>+88(SB)/8, $0x0004030201000403
DATA repeats<>+96(SB)/8, $0x0100050403020100
DATA repeats<>+104(SB)/8, $0x0302010005040302
DATA repeats<>+112(SB)/8, $0x0006050403020100
DATA repeats<>+120(SB)/8, $0x0100060504030201
DATA repeats<>+128(SB)/8, $0x0706050403020100
DATA repeats<>+136(SB)/8, $0x0706050403020100
DATA repeats<>+144(SB)/8, $0x0706050403020100
DATA repeats<>+152(SB)/8, $0x0605040302010008
DATA repeats<>+160(SB)/8, $0x0706050403020100
DATA repeats<>+168(SB)/8, $0x0504030201000908
DATA repeats<>+176(SB)/8, $0x0706050403020100
DATA repeats<>+184(SB)/8, $0x04030201000a0908
DATA repeats<>+192(SB)/8, $0x0706050403020100
DATA repeats<>+200(SB)/8, $0x030201000b0a0908
DATA repeats<>+208(SB)/8, $0x0706050403020100
DATA repeats<>+216(SB)/8, $0x0201000c0b0a0908
DATA repeats<>+224(SB)/8, $0x0706050403020100
DATA repeats<>+232(SB)/8, $0x01000d0c0b0a0908
DATA repeats<>+240(SB)/8, $0x0706050403020100
DATA repeats<>+248(SB)/8, $0x000e0d0c0b0a0908
GLOBL repeats<>(SB), RODATA|NOPTR, $256

DATA steps<>+0(SB)/8, $0x0e0c0f100f101010
DATA steps<>+8(SB)/8, $0x0f0e0d0c0b0a0910
GLOBL steps<>(SB), RODATA|NOPTR, $16

// func decodeSequences(dst, src []byte) (di, si int)
//
// DI and SI are the present positions, R12 and R13 those where the sequence began. R8 is 64 bytes
// before the end of dst, R9 48 bytes before the end of src. A sequence that begins before R8 and R9
// has these bytes available; short literals and matches need fewer, so their lengths are not
// checked. CX is a length, DX the distance of a match, BX its position; AX is temporary.
TEXT ·decodeSequences(SB), NOSPLIT, $0-64
	MOVQ dst_base+0(FP), DI
	MOVQ DI, R11
	MOVQ dst_len+8(FP), R8
	LEAQ -64(DI)(R8*1), R8
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), R9
	LEAQ -48(SI)(R9*1), R9
	LEAQ repeats<>(SB), R10
	LEAQ steps<>(SB), R14

next:
	MOVQ DI, R12
	MOVQ SI, R13
	CMPQ DI, R8
	JA   stop
	CMPQ SI, R9
	JA   stop

	MOVBLZX (SI), R15
	INCQ    SI
	MOVL    R15, CX
	SHRL    $4, CX
	ANDL    $15, R15
	CMPL    CX, $15
	JEQ     longLiterals
	VMOVDQU (SI), X0
	VMOVDQU X0, (DI)
	ADDQ    CX, SI
	ADDQ    CX, DI

match:
	MOVWLZX (SI), DX
	ADDQ    $2, SI
	MOVQ    DI, BX
	SUBQ    DX, BX
	CMPQ    BX, R11
	JB      stop
	CMPL    R15, $15
	JEQ     longMatch
	CMPL    DX, $16
	JB      near
	VMOVDQU (BX), X0
	VMOVDQU X0, (DI)
	VMOVDQU 16(BX), X0
	VMOVDQU X0, 16(DI)
	LEAQ    4(DI)(R15*1), DI
	JMP     next

near:
	TESTL   DX, DX
	JEQ     stop
	VMOVDQU (BX), X0
	MOVBLZX (R14)(DX*1), AX
	SHLL    $4, DX
	VPSHUFB (R10)(DX*1), X0, X0
	VMOVDQU X0, (DI)
	VMOVDQU X0, (DI)(AX*1)
	LEAQ    4(DI)(R15*1), DI
	JMP     next

longLiterals:
	CMPQ    SI, R9
	JA      stop
	MOVBLZX (SI), AX
	INCQ    SI
	ADDQ    AX, CX
	CMPL    AX, $255
	JEQ     longLiterals

	// The literals must end before the last 48 bytes of src and the last 64 bytes of dst.
	MOVQ R9, AX
	SUBQ SI, AX
	JB   stop
	CMPQ CX, AX
	JA   stop
	MOVQ R8, AX
	SUBQ DI, AX
	JB   stop
	CMPQ CX, AX
	JA   stop
	LEAQ (SI)(CX*1), AX
	LEAQ (DI)(CX*1), BX

copyLiterals:
	VMOVDQU (SI), Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	CMPQ    DI, BX
	JB      copyLiterals
	MOVQ    AX, SI
	MOVQ    BX, DI
	JMP     match

longMatch:
	MOVL $19, CX

matchLength:
	CMPQ    SI, R9
	JA      stop
	MOVBLZX (SI), AX
	INCQ    SI
	ADDQ    AX, CX
	CMPL    AX, $255
	JEQ     matchLength

	// The match must end before the last 64 bytes of dst. The caller decodes the last sequences.
	MOVQ R8, AX
	SUBQ DI, AX
	JB   stop
	CMPQ CX, AX
	JA   stop
	ADDQ DI, CX // end of the match
	CMPL DX, $16
	JB   longNear
	CMPL DX, $32
	JB   copyMatch

copyFar:
	VMOVDQU (BX), Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, BX
	ADDQ    $32, DI
	CMPQ    DI, CX
	JB      copyFar
	MOVQ    CX, DI
	JMP     next

copyMatch:
	VMOVDQU (BX), X0
	VMOVDQU X0, (DI)
	ADDQ    $16, BX
	ADDQ    $16, DI
	CMPQ    DI, CX
	JB      copyMatch
	MOVQ    CX, DI
	JMP     next

longNear:
	TESTL   DX, DX
	JEQ     stop
	VMOVDQU (BX), X0
	MOVBLZX (R14)(DX*1), AX
	SHLL    $4, DX
	VPSHUFB (R10)(DX*1), X0, X0

repeat:
	VMOVDQU X0, (DI)
	VMOVDQU X0, (DI)(AX*1)
	LEAQ    (DI)(AX*2), DI
	CMPQ    DI, CX
	JB      repeat
	MOVQ    CX, DI
	JMP     next

stop:
	SUBQ R11, R12
	MOVQ R12, di+48(FP)
	MOVQ src_base+24(FP), AX
	SUBQ AX, R13
	MOVQ R13, si+56(FP)
	VZEROUPPER
	RET
