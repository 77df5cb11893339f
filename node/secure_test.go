package node

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

// issuer makes certificates.
type issuer struct {
	t      testing.TB
	parsed *x509.Certificate
	key    *ecdsa.PrivateKey
	pem    []byte
	serial *atomic.Int64
}

// lasting is for how long a certificate is good.
type lasting struct{ from, to time.Duration }

var today = lasting{-time.Hour, 24 * time.Hour}

func newIssuer(t testing.TB) *issuer {
	i := &issuer{t: t, serial: new(atomic.Int64)}
	i.serial.Store(0xA0)
	certPEM, keyPEM := i.issue("authority", today, true)
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	i.parsed, i.key, i.pem = pair.Leaf, pair.PrivateKey.(*ecdsa.PrivateKey), certPEM
	return i
}

// issue makes a certificate and its key, in PEM; an authority's signs itself.
func (i *issuer) issue(name string, l lasting, authority bool) (cert, key []byte) {
	i.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(i.serial.Add(1)), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(l.from), NotAfter: time.Now().Add(l.to),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
	}
	parent, signer := i.parsed, i.key
	if authority {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		template.ExtKeyUsage = nil
		parent, signer = template, private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, private.Public(), signer)
	if err != nil {
		i.t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		i.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

// client is how a client connects, with a certificate if it has a name.
func (i *issuer) client(name string, l lasting) *tls.Config {
	i.t.Helper()
	c := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "localhost"}
	c.RootCAs.AddCert(i.parsed)
	if name != "" {
		pair, err := tls.X509KeyPair(i.issue(name, l, false))
		if err != nil {
			i.t.Fatal(err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c
}

// secret is a folder as the kubelet mounts a Secret: its files are links into
// a folder that is a link, which is swapped.
type secret struct {
	t    testing.TB
	dir  string
	next int
}

func newSecret(t testing.TB, ca, cert, key []byte) *secret {
	s := &secret{t: t, dir: t.TempDir()}
	s.swap(ca, cert, key)
	for _, name := range []string{"ca.crt", "tls.crt", "tls.key"} {
		s.must(os.Symlink(filepath.Join("..data", name), s.path(name)))
	}
	return s
}

func (s *secret) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *secret) path(name string) string { return filepath.Join(s.dir, name) }

func (s *secret) swap(ca, cert, key []byte) {
	s.t.Helper()
	s.next++
	folder := fmt.Sprintf("..%d", s.next)
	s.must(os.Mkdir(s.path(folder), 0o755))
	for name, content := range map[string][]byte{"ca.crt": ca, "tls.crt": cert, "tls.key": key} {
		s.must(os.WriteFile(filepath.Join(s.dir, folder, name), content, 0o600))
	}
	s.must(os.Symlink(folder, s.path("..next")))
	s.must(os.Rename(s.path("..next"), s.path("..data")))
}

// args are the directives that use the files.
func (s *secret) args(more ...string) []string {
	return append([]string{
		"--tls-port", "7001", "--tls-cert-file", s.path("tls.crt"), "--tls-key-file", s.path("tls.key"), "--tls-ca-cert-file", s.path("ca.crt"),
		"--tls-auto-reload-interval", "1",
	}, more...)
}

// secured is a server with TLS on a free port, whatever port it is told.
type secured struct {
	*running
	*secret
	ca   *issuer
	addr string
}

func anyPort(network, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return net.Listen(network, net.JoinHostPort(host, "0"))
}

func startSecure(t testing.TB, args ...string) *secured {
	t.Helper()
	ca := newIssuer(t)
	cert, key := ca.issue("node", today, false)
	files := newSecret(t, ca.pem, cert, key)
	s := startWith(t, Options{Listen: anyPort}, files.args(append([]string{"--port", "7000"}, args...)...)...)
	return &secured{s, files, ca, s.TLSAddr().String()}
}

func dialTLS(t testing.TB, addr string, c *tls.Config) *wire {
	t.Helper()
	w := dial(t, addr)
	conn := tls.Client(w.conn, c)
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return newWire(t, conn)
}

func TestClientsOverTLS(t *testing.T) {
	s := startSecure(t, "--requirepass", "secret")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, protocol := range []int{2, 3} {
		c := redis.NewClient(&redis.Options{Addr: s.addr, Protocol: protocol, Password: "secret", TLSConfig: s.ca.client("someone", today)})
		defer c.Close()
		key := fmt.Sprint("board", protocol)
		if n, err := c.ZAdd(ctx, key, redis.Z{Score: 1, Member: "a"}, redis.Z{Score: 2, Member: "b"}).Result(); n != 2 || err != nil {
			t.Errorf("ZADD: %d, %v", n, err)
		}
		// A pop that waits is woken by a deadline, which must not harm TLS.
		popped := make(chan error, 1)
		go func() {
			z, err := c.BZPopMin(ctx, 0, key+"later").Result()
			if err == nil && z.Member != "m" {
				err = fmt.Errorf("popped %v", z)
			}
			popped <- err
		}()
		eventually(t, "the pop waits", func() bool { return s.keyspace.Awaited() == 1 })
		c.ZAdd(ctx, key+"later", redis.Z{Score: 1, Member: "m"})
		if err := <-popped; err != nil {
			t.Error(err)
		}
		sub := c.Subscribe(ctx, "news")
		if _, err := sub.Receive(ctx); err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			c.Publish(ctx, "news", strings.Repeat("x", 100*i))
			if m, err := sub.ReceiveMessage(ctx); err != nil || len(m.Payload) != 100*i {
				t.Fatalf("message %d: %v", i, err)
			}
		}
		sub.Close()
	}
	r, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.addr}, Password: "secret", TLSConfig: s.ca.client("other", today), ForceSingleClient: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if score, err := r.Do(ctx, r.B().Zscore().Key("board3").Member("b").Build()).AsFloat64(); score != 2 || err != nil {
		t.Errorf("ZSCORE: %v, %v", score, err)
	}
	// What one writes at once is more than a record, or a socket's buffer.
	long := strings.Repeat("y", 4<<20)
	if got, err := r.Do(ctx, r.B().Echo().Message(long).Build()).ToString(); got != long || err != nil {
		t.Errorf("ECHO of %d bytes: %d, %v", len(long), len(got), err)
	}
	// The plain port is beside it.
	dial(t, s.running.addr).expect("+OK\r\n", "AUTH", "secret")
}

func TestCommandLineClientOverTLS(t *testing.T) {
	program, err := exec.LookPath("redis-cli")
	if err != nil {
		if program, err = exec.LookPath("valkey-cli"); err != nil {
			t.Skip("this machine has neither redis-cli nor valkey-cli")
		}
	}
	if help, _ := exec.Command(program, "--help").CombinedOutput(); !bytes.Contains(help, []byte("--tls")) {
		t.Skip("built without TLS: " + program)
	}
	s := startSecure(t)
	cert, key := s.ca.issue("someone", today, false)
	dir := t.TempDir()
	s.must(os.WriteFile(filepath.Join(dir, "c.crt"), cert, 0o600))
	s.must(os.WriteFile(filepath.Join(dir, "c.key"), key, 0o600))
	host, port, _ := net.SplitHostPort(s.addr)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "-h", host, "-p", port, "--tls", "--cacert", s.path("ca.crt"),
		"--cert", filepath.Join(dir, "c.crt"), "--key", filepath.Join(dir, "c.key"), "ZADD", "k", "1", "m").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Errorf("%s: %q, %v", program, out, err)
	}
}

func TestClientCertificates(t *testing.T) {
	strangers := newIssuer(t)
	for _, c := range []struct {
		mode                            string
		none, good, expired, ofStranger bool // who is served
	}{
		{"yes", false, true, false, false},
		{"optional", true, true, false, false},
		{"no", true, true, true, true},
	} {
		t.Run(c.mode, func(t *testing.T) {
			s := startSecure(t, "--tls-auth-clients", c.mode, "--loglevel", "debug")
			foreign := s.ca.client("", today)
			foreign.Certificates = strangers.client("someone", today).Certificates
			refused := int64(0)
			for _, who := range []struct {
				name   string
				config *tls.Config
				served bool
			}{
				{"without", s.ca.client("", today), c.none},
				{"good", s.ca.client("someone", today), c.good},
				{"expired", s.ca.client("someone", lasting{-2 * time.Hour, -time.Hour}), c.expired},
				{"another authority's", foreign, c.ofStranger},
			} {
				for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
					config := who.config.Clone()
					config.MaxVersion = version
					conn := tls.Client(dial(t, s.addr).conn, config)
					// In TLS 1.3 a client learns only at its first read.
					io.WriteString(conn, "PING\r\n")
					got := make([]byte, len(pong))
					_, err := io.ReadFull(conn, got)
					if served := err == nil && string(got) == pong; served != who.served {
						t.Errorf("a client with a certificate %s over %s: %q, %v", who.name, tls.VersionName(version), got, err)
					}
					if !who.served {
						refused++
						eventually(t, "the failure is counted", func() bool { return s.stats.HandshakesFailed.Load() == refused })
					}
				}
			}
			eventually(t, "those refused are gone", func() bool { return s.clients.Len() == 8-int(refused) })
		})
	}
}

func TestUserOfCertificate(t *testing.T) {
	s := startSecure(t, "--tls-auth-clients-user", "CN", "--requirepass", "secret")
	admin := dial(t, s.running.addr)
	admin.expect("+OK\r\n", "AUTH", "secret")
	admin.expect("+OK\r\n", "ACL", "SETUSER", "reader", "on", "~*", "+@all")
	admin.expect("+OK\r\n", "ACL", "SETUSER", "gone", "off", "~*", "+@all")
	dialTLS(t, s.addr, s.ca.client("reader", today)).expect(bulk("reader"), "ACL", "WHOAMI")
	for _, name := range []string{"gone", "nobody"} {
		dialTLS(t, s.addr, s.ca.client(name, today)).expect("-NOAUTH Authentication required.\r\n", "PING")
	}
	admin.expect("+OK\r\n", "CONFIG", "SET", "tls-auth-clients-user", "off")
	dialTLS(t, s.addr, s.ca.client("reader", today)).expect("-NOAUTH Authentication required.\r\n", "PING")
}

func TestNotTLS(t *testing.T) {
	s := startSecure(t)
	for _, text := range []string{string(array("PING")), "PING\r\n", "GET / HTTP/1.1\r\n\r\n"} {
		w := dial(t, s.addr)
		w.send(text + strings.Repeat(" ", 1000))
		if got := w.rest(); got != errPlain {
			t.Errorf("%q gets %q", text, got)
		}
	}
	if n := s.stats.HandshakesFailed.Load(); n != 3 {
		t.Errorf("counted %d failures, want 3", n)
	}
	dial(t, s.addr).conn.Close() // as a probe does
	silent := dial(t, s.addr)
	w := dialTLS(t, s.addr, s.ca.client("someone", today))
	eventually(t, "the probe is gone", func() bool { return s.clients.Len() == 2 })
	if n := s.stats.HandshakesFailed.Load(); n != 3 {
		t.Errorf("counted %d failures after a probe, want 3", n)
	}
	// One that says nothing keeps nobody from anything, and goes when the
	// node does.
	w.expect(pong, "PING")
	w.expect("+OK\r\n", "QUIT")
	if got, err := io.ReadAll(w.in); len(got) > 0 || err != nil {
		t.Errorf("after QUIT: %q, %v; want a proper end", got, err)
	}
	s.stop()
	silent.rest()
}

func TestReloadUnderLoad(t *testing.T) {
	s := startSecure(t)
	var done, dropped atomic.Int64
	var stop atomic.Bool
	var clients sync.WaitGroup
	for range 4 {
		w := dialTLS(t, s.addr, s.ca.client("someone", today))
		clients.Go(func() {
			for !stop.Load() {
				if _, err := w.conn.Write(array("ZINCRBY", "k", "1", "m")); err != nil {
					dropped.Add(1)
					return
				}
				if _, err := readReply(w.in); err != nil {
					dropped.Add(1)
					return
				}
				done.Add(1)
			}
		})
	}
	defer func() { stop.Store(true); clients.Wait() }()
	progress := func() {
		t.Helper()
		before := done.Load()
		eventually(t, "the clients go on", func() bool { return done.Load() > before+100 })
	}
	serial := func() string {
		w := dialTLS(t, s.addr, s.ca.client("someone", today))
		defer w.conn.Close()
		return fmt.Sprintf("%X", w.conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber)
	}
	progress()
	first := serial()
	cert, key := s.ca.issue("node", lasting{-time.Hour, 48 * time.Hour}, false)

	// First what cannot be used, each seen and told.
	_, otherKey := s.ca.issue("node", today, false)
	oldCert, oldKey := s.ca.issue("node", lasting{-2 * time.Hour, -time.Hour}, false)
	encrypted := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")})
	for _, c := range []struct {
		cert, key []byte
		why       string
	}{
		{cert, otherKey, "is not that of the certificate in"},
		{oldCert, oldKey, "has expired at"},
		{cert, encrypted, "is encrypted"},
		{[]byte("nonsense"), key, "the file has no certificate"},
		{cert, nil, "there is no private key in"},
	} {
		s.swap(s.ca.pem, c.cert, c.key)
		eventually(t, c.why, func() bool { return strings.Contains(s.secure.Status().Failure, c.why) })
		if !strings.Contains(s.log.String(), c.why) {
			t.Errorf("the log does not say %q", c.why)
		}
		if got := serial(); got != first {
			t.Errorf("%s: serves %s, want still %s", c.why, got, first)
		}
	}
	w := dial(t, s.running.addr)
	if info := w.do("INFO", "tls"); !strings.Contains(info, "tls_reload_status:failed\r\n") || !strings.Contains(info, "tls_server_cert_serial:"+first+"\r\n") {
		t.Errorf("INFO: %s", info)
	}
	if got := w.do("CONFIG", "SET", "tls-key-file", s.path("tls.key")); !strings.HasPrefix(got,
		"-ERR CONFIG SET failed (possibly related to argument 'tls-key-file') - Unable to update TLS configuration. there is no private key in ") {
		t.Errorf("CONFIG SET: %q", got)
	}
	progress()

	s.swap(s.ca.pem, cert, key)
	eventually(t, "the new certificate", func() bool { return s.secure.Status().Reloads == 1 })
	if got := serial(); got == first || s.secure.Status().Failure != "" {
		t.Errorf("serves %s, %+v", got, s.secure.Status())
	}
	// CONFIG SET reads the files at once, whatever its value.
	w.expect("+OK\r\n", "CONFIG", "SET", "tls-auto-reload-interval", "0")
	cert, key = s.ca.issue("node", today, false)
	s.swap(s.ca.pem, cert, key)
	second := serial()
	w.expect("+OK\r\n", "CONFIG", "SET", "tls-cert-file", s.path("tls.crt"))
	if got := serial(); got == second {
		t.Errorf("still serves %s after CONFIG SET", got)
	}
	progress()
	if n := dropped.Load(); n != 0 {
		t.Errorf("%d connections were dropped", n)
	}
}

// Once an authority is taken away a client cannot go on by a session it made
// before.
func TestSessionsEndWithTheirAuthority(t *testing.T) {
	s := startSecure(t)
	config := s.ca.client("someone", today)
	config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	resumed := func() bool {
		w := dialTLS(t, s.addr, config)
		defer w.conn.Close()
		w.expect(pong, "PING") // tickets come after the handshake
		return w.conn.(*tls.Conn).ConnectionState().DidResume
	}
	if resumed() || !resumed() {
		t.Error("the second session does not resume the first")
	}
	others := newIssuer(t)
	cert, key := s.ca.issue("node", today, false)
	s.swap(others.pem, cert, key)
	eventually(t, "the other authority", func() bool { return s.secure.Status().Reloads == 1 })
	conn := tls.Client(dial(t, s.addr).conn, config)
	io.WriteString(conn, "PING\r\n")
	if _, err := io.ReadAll(conn); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v, want the certificate refused", err)
	}
}

func TestTLSAlone(t *testing.T) {
	s := startSecureAlone(t)
	if s.Addr() != nil {
		t.Errorf("port 0 is served at %v", s.Addr())
	}
	w := dialTLS(t, s.TLSAddr().String(), s.ca.client("someone", today))
	_, port, _ := net.SplitHostPort(s.TLSAddr().String())
	if info := w.do("INFO", "server"); !strings.Contains(info, "tcp_port:"+port+"\r\n") {
		t.Errorf("INFO: %s", info)
	}
	if list := w.do("CLIENT", "LIST"); strings.Contains(list, "someone") || strings.Contains(list, s.dir) {
		t.Errorf("CLIENT LIST: %s", list)
	}
	response, err := http.Get("http://" + s.HTTPAddr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	want := fmt.Sprintf("zset_tls_certificate_expiry_timestamp_seconds %v\n", float64(s.secure.Status().Expires.Unix()))
	for _, line := range []string{want, "zset_tls_reload_failed 0\n", "zset_tls_authority_expiry_timestamp_seconds "} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the metrics lack %q", line)
		}
	}
}

func startSecureAlone(t testing.TB) *secured {
	ca := newIssuer(t)
	cert, key := ca.issue("node", today, false)
	files := newSecret(t, ca.pem, cert, key)
	s := startWith(t, Options{Listen: anyPort}, files.args("--port", "0", "--http-port", "7002")...)
	return &secured{s, files, ca, s.TLSAddr().String()}
}

func TestMaxClientsOverTLS(t *testing.T) {
	s := startSecure(t, "--maxclients", "1")
	first := dialTLS(t, s.addr, s.ca.client("someone", today))
	first.expect(pong, "PING")
	if got := dial(t, s.addr).rest(); got != "" {
		t.Errorf("one too many gets %q", got)
	}
	first.expect(pong, "PING")
}
