package slab

// Size classes. Up to 256 bytes there is one for each multiple of 8. Above, a class is a slab of few pages cut into
// equal parts, so that next to nothing is left at a slab's end: of all such cuts of up to 16 pages those
// remain that keep each class within a twelfth of the next, those of fewer pages first. A slab of fewer pages is
// free as a whole sooner. From 1024 bytes on they are multiples of a cache line: the buckets of large tables, which are
// of one line each, then begin where lines do.
//
// So of a slot less than 8.4 % is wasted above 256 bytes, and of a slab less than 2.5 % throughout.

// classInfo describes one size class.
type classInfo struct {
	size  uint16 // bytes of a slot
	pages uint16 // of a slab
}

const (
	fineLimit   = 256 // up to here each multiple of a unit is a class
	fineClasses = fineLimit / unitBytes
	classes     = 1 + fineClasses + len(coarse) // class 0 does not exist
)

// coarse are the classes above fineLimit.
var coarse = [...]classInfo{
	{272, 1}, {288, 1}, {312, 1}, {336, 1}, {352, 2}, {384, 2}, {408, 1}, {424, 2}, {448, 1}, {480, 2}, {512, 1},
	{544, 2}, {584, 1}, {624, 2}, {680, 1}, {720, 3}, {768, 3}, {816, 1}, {872, 3}, {944, 3},
	{1024, 1}, {1088, 4}, {1152, 2}, {1216, 3}, {1280, 5}, {1344, 1}, {1408, 7}, {1536, 3}, {1664, 5}, {1792, 4},
	{1920, 8}, {2048, 1}, {2176, 7}, {2304, 4}, {2496, 8}, {2560, 5}, {2688, 2}, {2880, 5}, {3072, 3}, {3328, 9},
	{3584, 7}, {3776, 12}, {4096, 1}, {4416, 12}, {4736, 7}, {5120, 5}, {5440, 4}, {5696, 7}, {6144, 3}, {6528, 8},
	{6976, 12}, {7552, 13}, {8192, 2}, {8832, 13}, {9536, 7}, {10240, 5}, {10880, 8}, {11264, 11}, {12288, 3}, {13312, 13},
	{14336, 7}, {15360, 15}, {16384, 4}, {17728, 13}, {19072, 14}, {20480, 5}, {21824, 16}, {22528, 11}, {24576, 6}, {26624, 13},
	{28672, 7}, {30720, 15}, {32768, 8},
}

var (
	classTable [classes]classInfo
	// classOf is the class for a number of bytes, by units rounded up.
	classOf [MaxSlot/unitBytes + 1]uint8
	// kindSize is the bytes of a slot in a page of a kind; 0 for kinds that are no class.
	kindSize [256]uint32
)

func init() {
	for class := 1; class <= fineClasses; class++ {
		info := classInfo{size: uint16(class * unitBytes), pages: 1}
		if PageSize%int(info.size) > PageSize/40 {
			info.pages = 2
		}
		classTable[class] = info
	}
	copy(classTable[1+fineClasses:], coarse[:])
	class := 1
	for units := range classOf {
		if units*unitBytes > int(classTable[class].size) {
			class++
		}
		classOf[units] = uint8(class)
	}
	for class := range classTable {
		kindSize[class] = uint32(classTable[class].size)
	}
}

// Size is the bytes that an allocation of n takes, by Alloc or, above MaxSlot, by AllocPages as well.
func Size(n int) int {
	if uint(n) > MaxSlot {
		return int(pagesOf(n)) * PageSize
	}
	return int(classTable[classOf[uint(n+unitBytes-1)/unitBytes]].size)
}

// pagesOf is how many pages n bytes take.
func pagesOf(n int) uint64 { return uint64(n)/PageSize + min(uint64(n)%PageSize, 1) }
