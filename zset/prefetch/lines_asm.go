//go:build amd64 || arm64

package prefetch

// Lines asks for the cache lines at these addresses.
//
//go:noescape
func Lines(at []*byte)
