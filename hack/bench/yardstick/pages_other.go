//go:build !linux

package yardstick

// advise does nothing: only Linux is asked for huge pages.
func advise([]byte) {}
