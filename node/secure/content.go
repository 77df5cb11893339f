package secure

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"zset.dev/operator/node/config"
)

// Bounds of what is read.
const (
	maxFileBytes = 4 << 20 // of one file; a bundle of all public authorities has some 200 KiB
	maxFiles     = 1000    // of a folder
)

// content is what the files hold.
type content struct {
	cert, key   []byte
	authorities []authority
}

// authority is one file of authorities.
type authority struct {
	name string
	pem  []byte
}

// read reads all files that a configuration names. The error names the file.
func read(t *config.TLS) (c content, err error) {
	if c.cert, err = readFile("tls-cert-file", t.CertFile); err != nil {
		return c, err
	}
	if c.key, err = readFile("tls-key-file", t.KeyFile); err != nil {
		return c, err
	}
	if t.CACertFile != "" {
		pem, err := readFile("tls-ca-cert-file", t.CACertFile)
		if err != nil {
			return c, err
		}
		c.authorities = append(c.authorities, authority{t.CACertFile, pem})
	}
	if t.CACertDir == "" {
		return c, nil
	}
	entries, err := os.ReadDir(t.CACertDir)
	if err != nil {
		return c, fmt.Errorf("cannot read tls-ca-cert-dir: %w", err)
	}
	for _, entry := range entries {
		name := filepath.Join(t.CACertDir, entry.Name())
		// Names with a dot in front are how Kubernetes swaps a folder.
		if info, err := os.Stat(name); strings.HasPrefix(entry.Name(), ".") || err != nil || !info.Mode().IsRegular() {
			continue
		}
		if len(c.authorities) == maxFiles {
			return c, fmt.Errorf("tls-ca-cert-dir %q has more than %d files", t.CACertDir, maxFiles)
		}
		pem, err := readFile("tls-ca-cert-dir", name)
		if err != nil {
			return c, err
		}
		c.authorities = append(c.authorities, authority{name, pem})
	}
	return c, nil
}

func readFile(directive, name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", directive, err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", directive, err)
	}
	if len(b) > maxFileBytes {
		return nil, fmt.Errorf("cannot read %s: %s is longer than %d bytes", directive, name, maxFileBytes)
	}
	return b, nil
}

// print tells contents apart, and why there is none.
type print [sha256.Size]byte

func printOf(c content, err error) (p print) {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d %v\n", len(c.cert), len(c.key), len(c.authorities), err)
	h.Write(c.cert)
	h.Write(c.key)
	for _, a := range c.authorities {
		fmt.Fprintf(h, "%q %d\n", a.name, len(a.pem))
		h.Write(a.pem)
	}
	h.Sum(p[:0])
	return p
}
