package rdb

// LZF by Marc Lehmann (http://oldhome.schmorp.de/marc/liblzf.html) is a series
// of runs and copies. The first byte of each has three bits and five:
//
//	000 n                   a run: the n+1 bytes that follow
//	l   o  low              a copy of l+2 bytes from o·256+low+1 bytes back, l 1 to 6
//	111 o  more  low        a copy of 7+more+2 bytes, likewise
//
// A copy may reach into what it writes itself, and so repeats it.

// lzfRatio is how far three bytes can go: a copy of 7+255+2.
const lzfRatio = (7 + 255 + 2) / 3

// decompress gives the size bytes that in stands for.
func decompress(in []byte, size uint64) ([]byte, error) {
	if size == 0 || size > uint64(len(in))*lzfRatio {
		return nil, ErrFormat
	}
	out := make([]byte, 0, size)
	r := reader{b: in}
	for len(r.b) > 0 {
		first, _ := r.byte()
		n, high := uint64(first>>5), int(first&31)
		if n == 0 {
			run, err := r.take(uint64(high) + 1)
			if err != nil || uint64(len(out)+len(run)) > size {
				return nil, ErrFormat
			}
			out = append(out, run...)
			continue
		}
		if n == 7 {
			more, err := r.byte()
			if err != nil {
				return nil, err
			}
			n += uint64(more)
		}
		n += 2
		low, err := r.byte()
		if err != nil {
			return nil, err
		}
		from := len(out) - (high<<8 | int(low)) - 1
		if from < 0 || uint64(len(out))+n > size {
			return nil, ErrFormat
		}
		for range n {
			out = append(out, out[from])
			from++
		}
	}
	if uint64(len(out)) != size {
		return nil, ErrFormat
	}
	return out, nil
}
