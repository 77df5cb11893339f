package yardstick

import "golang.org/x/sys/unix"

// advise asks for huge pages. Where they are off the list is none the worse.
func advise(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
