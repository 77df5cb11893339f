#include "textflag.h"

// func Lines(at []*byte)
TEXT ·Lines(SB), NOSPLIT, $0-24
	MOVQ at_base+0(FP), SI
	MOVQ at_len+8(FP), CX
	TESTQ CX, CX
	JE   done

next:
	MOVQ (SI), AX
	PREFETCHT0 (AX)
	ADDQ $8, SI
	DECQ CX
	JNE  next

done:
	RET
