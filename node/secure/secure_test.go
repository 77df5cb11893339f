package secure

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/config"
)

var (
	noon    = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	discard = slog.New(slog.DiscardHandler)
)

// pair is a certificate that signs itself, good from an hour before noon, and its key.
func pair(t *testing.T, serial int64, until time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: noon.Add(-time.Hour), NotAfter: until, DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	sec1, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1})
}

// folder has files by name.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestStart states each reason a node does not start.
func TestStart(t *testing.T) {
	cert, key := pair(t, 0xBEEF, noon.Add(time.Hour))
	other, otherKey := pair(t, 2, noon.Add(2*time.Hour))
	expired, expiredKey := pair(t, 3, noon.Add(-time.Minute))
	encrypted := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED"}, Bytes: []byte("x")})
	authorities := folder(t, map[string][]byte{"a.pem": other, "b.pem": cert, ".hidden": []byte("not read")})
	if err := os.Mkdir(filepath.Join(authorities, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		cert, key []byte
		ca        string
		want      string // part of the error; "" = it starts
		logged    string
	}{
		{"good", cert, key, authorities, "", ""},
		{"expired", expired, expiredKey, authorities, "", "has expired at 2030-01-01T11:59:00Z"},
		{"another's key", cert, otherKey, authorities, "tls.key is not that of the certificate in ", ""},
		{"encrypted key", cert, encrypted, authorities, "tls.key is encrypted; write it in plain (openssl pkey)", ""},
		{"certificate for key", cert, cert, authorities, "there is no private key in ", ""},
		{"key for certificate", key, key, authorities, "tls.crt: the file has no certificate, in PEM", ""},
		{"too long", make([]byte, maxFileBytes+1), key, authorities, "tls.crt is longer than 4194304 bytes", ""},
		{"no authority", cert, key, t.TempDir(), "there is no authority to check clients' certificates by", ""},
		{"not an authority", cert, key, folder(t, map[string][]byte{"x": []byte("x")}), "x: the file has no certificate, in PEM", ""},
		{"no folder", cert, key, filepath.Join(authorities, "none"), "cannot read tls-ca-cert-dir: ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t, map[string][]byte{"tls.crt": c.cert, "tls.key": c.key})
			var log bytes.Buffer
			k := NewKeeper(slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return noon }, 1)
			err := k.Start(config.TLS{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"), CACertDir: c.ca, AuthClients: "yes"})
			if c.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if !strings.Contains(log.String(), c.logged) || c.logged == "" && log.Len() > 0 {
				t.Errorf("logged %q, want %q", log.String(), c.logged)
			}
			if err != nil {
				if strings.Contains(err.Error(), "-----") {
					t.Errorf("the error shows what the file holds: %v", err)
				}
				return
			}
			if s := k.Status(); s.CASerial != "BEEF" || !s.CAExpires.Equal(noon.Add(time.Hour)) || s.Failure != "" {
				t.Errorf("status %+v; want the authority that expires first", s)
			}
		})
	}
}

// keeper is one that asks for no certificates, with one handshake at a time.
func keeper(t *testing.T) *Keeper {
	t.Helper()
	cert, key := pair(t, 1, noon.Add(time.Hour))
	dir := folder(t, map[string][]byte{"tls.crt": cert, "tls.key": key})
	k := NewKeeper(discard, func() time.Time { return noon }, 1)
	if err := k.Start(config.TLS{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"), AuthClients: "no"}); err != nil {
		t.Fatal(err)
	}
	return k
}

// deaf is the client's side of a connection on which TLS hears nothing: what the server answers is for the test to read.
type deaf struct {
	net.Conn
	over <-chan struct{}
}

func (d deaf) Read([]byte) (int, error) {
	<-d.over
	return 0, io.EOF
}

// Handshakes wait for a place to compute, and who sends no more keeps none.
func TestPlaces(t *testing.T) {
	k := keeper(t)
	trusting := &tls.Config{InsecureSkipVerify: true}
	accept := func() (client net.Conn, done chan error) {
		near, far := net.Pipe()
		t.Cleanup(func() { near.Close(); far.Close() })
		server, done := k.Server(near), make(chan error, 1)
		go func() { done <- server.Handshake() }()
		return far, done
	}
	over := make(chan struct{})
	defer close(over)
	// These have said hello, and no more.
	for range 3 {
		socket, _ := accept()
		go tls.Client(deaf{socket, over}, trusting).Handshake()
		if _, err := socket.Read(make([]byte, 1)); err != nil { // the answer begins: no place is held
			t.Fatal(err)
		}
	}
	k.slots <- struct{}{} // the one place is taken
	socket, done := accept()
	client := tls.Client(socket, trusting)
	finished := make(chan error, 1)
	go func() { finished <- client.Handshake() }()
	select {
	case err := <-finished:
		t.Fatalf("a handshake ended without a place: %v", err)
	case <-time.After(50 * time.Millisecond): // it would have by now
	}
	<-k.slots
	if err := <-finished; err != nil {
		t.Error(err)
	}
	go io.Copy(io.Discard, client)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(k.slots) != 0 {
		t.Errorf("%d places are still taken", len(k.slots))
	}
}

// A change that has nothing to do with TLS reads no file.
func TestPrepareOnlyForTLS(t *testing.T) {
	k := keeper(t)
	if commit, err := k.Prepare([]string{"timeout", "maxclients"}, &config.Values{}); commit != nil || err != nil {
		t.Errorf("asked to prepare: %v", err)
	}
	if _, err := k.Prepare([]string{"timeout", "tls-ciphers"}, &config.Values{}); err == nil {
		t.Error("a change without files is agreed to")
	}
}
