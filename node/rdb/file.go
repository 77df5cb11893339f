package rdb

// A file is
//
//	magic and version | opcode or key … | 0xff | checksum (8, LE)
//
// where the magic is "REDIS" and four digits of version, or "VALKEY" and three; the checksum is that of all before
// it, or 0 when whoever wrote the file computed none (before version 5 there is none). A key is
//
//	[0xfc time (8, LE, ms) | 0xfd time (4, LE, s)]  [0xf8 idle (length, s) | 0xf9 frequency (1)]  type | key | value
//
// in the database that the last opcode 0xfe named, and the rest are opcodes:
const (
	opSlotImport         = 0xf3 // a job's name and pairs of slots, of a migration that had begun
	opSlotInfo           = 0xf4 // three lengths: a slot, and how many keys of it follow, and expire
	opFunction           = 0xf5 // a library's code
	opFunctionPreRelease = 0xf6 // the same, in a form that was given up before release
	opModuleAux          = 0xf7 // a module's number and data
	opIdle               = 0xf8
	opFrequency          = 0xf9
	opAux                = 0xfa // a name and a value
	opResize             = 0xfb // two lengths: how many keys follow, and how many of them expire
	opExpireMillis       = 0xfc
	opExpire             = 0xfd
	opDatabase           = 0xfe
	opEnd                = 0xff
)

const (
	magicBytes  = 9 // with the version
	redisMagic  = "REDIS"
	valkeyMagic = "VALKEY"
)

// Meta is what a file says of a key beside its value.
type Meta struct {
	ExpireAt  int64 // milliseconds since the epoch; 0 is never
	Idle      int64 // seconds since the key was used; -1 when the file does not say
	Frequency int   // logarithmic counter of uses, 0 to 255; -1 when the file does not say
}
