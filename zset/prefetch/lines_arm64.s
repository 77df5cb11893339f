#include "textflag.h"

// func Lines(at []*byte)
TEXT ·Lines(SB), NOSPLIT, $0-24
	MOVD at_base+0(FP), R0
	MOVD at_len+8(FP), R1
	CBZ  R1, done

next:
	MOVD.P 8(R0), R2
	PRFM (R2), PLDL1KEEP
	SUBS $1, R1, R1
	BNE  next

done:
	RET
