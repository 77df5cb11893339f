package rdb

import "encoding/binary"

// AppendFunctions appends the payload of FUNCTION DUMP, which is the libraries'
// code as it is in a file, to dst.
func AppendFunctions(dst []byte, codes []string) []byte {
	start := len(dst)
	for _, code := range codes {
		dst = append(appendLength(append(dst, opFunction), uint64(len(code))), code...)
	}
	return appendFooter(dst, start)
}

// ReadFunctions is the libraries' code in a payload of FUNCTION DUMP. The
// error is ErrFooter, ErrPreRelease or ErrFormat.
func ReadFunctions(payload []byte) (codes []string, err error) {
	body, err := withoutFooter(payload)
	if err != nil {
		return nil, err
	}
	r := reader{b: body}
	for len(r.b) > 0 {
		switch op, _ := r.byte(); op {
		case opFunction:
		case opFunctionPreRelease:
			return nil, ErrPreRelease
		default:
			return nil, ErrFormat
		}
		code, err := r.text()
		if err != nil {
			return nil, ErrFormat
		}
		codes = append(codes, string(code))
	}
	return codes, nil
}

// appendFooter closes a payload that began at start.
func appendFooter(dst []byte, start int) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, writtenVersion)
	return binary.LittleEndian.AppendUint64(dst, checksum(dst[start:]))
}

// withoutFooter is the body of a payload whose version and checksum are right.
func withoutFooter(payload []byte) ([]byte, error) {
	if len(payload) < footerBytes {
		return nil, ErrFooter
	}
	body, footer := payload[:len(payload)-footerBytes], payload[len(payload)-footerBytes:]
	version, sum := binary.LittleEndian.Uint16(footer), binary.LittleEndian.Uint64(footer[2:])
	if version > newestVersion || sum != checksum(payload[:len(payload)-8]) {
		return nil, ErrFooter
	}
	return body, nil
}
