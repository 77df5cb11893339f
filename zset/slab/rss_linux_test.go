package slab

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// resident is the bytes of memory the process has, by the kernel's account.
func resident(t testing.TB) int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(statm), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// residentIn is the bytes of memory behind a Heap's own reservations, by the kernel's account: the Go heap, in which
// the ledger of invariants alone takes more than the Heap, does not count.
func residentIn(t testing.TB, h *Heap) (sum int64) {
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(smaps)) {
		var from, to uintptr
		var kib int64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = h.refs.mapping.holds(from)
			for _, s := range *h.extra.Load() {
				inside = inside || s.mapping.holds(from)
			}
		} else if n, _ := fmt.Sscanf(line, "Rss: %d kB", &kib); n == 1 && inside {
			sum += kib << 10
		}
	}
	return sum
}

func (m memory) holds(address uintptr) bool { return address-uintptr(m.start) < m.size }

// What Mapped says must be what the kernel sees, while memory grows and after it was freed.
func TestResidentMemoryFollowsMapped(t *testing.T) {
	total := 32 << 20
	if invariants {
		total /= 2
	}
	for _, o := range []Options{{}, {HugePages: true}} {
		for _, size := range []int{64, 1000, 20000, 1 << 20} {
			t.Run(fmt.Sprintf("huge pages %v/%d bytes", o.HugePages, size), func(t *testing.T) {
				h := newHeap(t, o)
				compare := func(when string) {
					t.Helper()
					// Mapped counts a slab and a granule as a whole from the first slot on.
					got, most := residentIn(t, h), h.Mapped()
					if least := most - most/20 - int64(h.refs.granule)*PageSize; got < least || got > most {
						t.Errorf("%s: %d bytes resident, %d mapped", when, got, most)
					}
				}
				refs := make([]Ref, total/size)
				for i := range refs {
					r, b := mustAlloc(t, h, size)
					for j := 0; j < len(b); j += PageSize {
						b[j] = 1
					}
					refs[i] = r
				}
				compare("filled")
				for _, r := range refs[len(refs)/10:] {
					h.Free(r)
				}
				compare("freed but a tenth")
				if most := int64(total)/10*3/2 + 6<<20; h.Mapped() > most && !invariants {
					t.Errorf("%d bytes mapped after all but a tenth was freed in order", h.Mapped())
				}
				for _, r := range refs[:len(refs)/10] {
					h.Free(r)
				}
				if most := int64(6 << 20); h.Mapped() > most {
					t.Errorf("%d bytes mapped after all was freed", h.Mapped())
				}
				h.Trim()
				compare("trimmed")
			})
		}
	}
}

// BenchmarkReturn prints what the process holds, in MiB, before and after 90 % of 256 MiB is freed, and then all.
func BenchmarkReturn(b *testing.B) {
	const total = 256 << 20
	for _, size := range []int{64, 200, 1000, 4000, 64 << 10} {
		for _, order := range []string{"in order", "at random"} {
			b.Run(fmt.Sprintf("%d bytes %s", size, order), func(b *testing.B) {
				random := rand.New(rand.NewPCG(1, 1))
				for b.Loop() {
					h := New(Options{})
					refs := make([]Ref, total/size)
					clear(refs)
					start := resident(b)
					mib := func() float64 { return float64(resident(b)-start) / (1 << 20) }
					for i := range refs {
						r, m := mustAlloc(b, h, size)
						for j := 0; j < len(m); j += PageSize {
							m[j] = 1
						}
						refs[i] = r
					}
					b.ReportMetric(mib(), "MiB-full")
					if order == "at random" {
						random.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
					}
					for _, r := range refs[len(refs)/10:] {
						h.Free(r)
					}
					b.ReportMetric(mib(), "MiB-tenth")
					for _, r := range refs[:len(refs)/10] {
						h.Free(r)
					}
					b.ReportMetric(mib(), "MiB-empty")
					h.Close()
				}
			})
		}
	}
}
