package secure

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"zset.dev/operator/node/config"
)

// Material is all that a handshake needs. It never changes.
type Material struct {
	config *tls.Config

	Serial  string    // of the node's certificate, in hexadecimal digits
	Expires time.Time // when it does

	// Of the authority that expires first; none is "" and zero.
	CASerial  string
	CAExpires time.Time
}

// build makes a Material of what the files hold. The error says what is wrong
// with which file, and nothing of a key's content.
func build(t *config.TLS, c content) (*Material, error) {
	pair, err := keyPair(t, c)
	if err != nil {
		return nil, err
	}
	m := &Material{Serial: serial(pair.Leaf), Expires: pair.Leaf.NotAfter}
	m.config = &tls.Config{
		Certificates: []tls.Certificate{pair}, GetConfigForClient: heard,
		MinVersion: t.Protocols.Min, MaxVersion: t.Protocols.Max, CipherSuites: t.Ciphers.IDs,
		SessionTicketsDisabled: !t.SessionCaching,
	}
	switch t.AuthClients {
	case "yes":
		m.config.ClientAuth = tls.RequireAndVerifyClientCert
	case "optional":
		m.config.ClientAuth = tls.VerifyClientCertIfGiven
	}
	if len(c.authorities) == 0 {
		if m.config.ClientAuth != tls.NoClientCert {
			return nil, errors.New("there is no authority to check clients' certificates by: the folder of tls-ca-cert-dir has no file")
		}
		return m, nil
	}
	m.config.ClientCAs = x509.NewCertPool()
	for _, a := range c.authorities {
		certificates, err := certificates(a.pem)
		if err != nil {
			return nil, fmt.Errorf("authorities in %s: %w", a.name, err)
		}
		for _, certificate := range certificates {
			m.config.ClientCAs.AddCert(certificate)
			if m.CASerial == "" || certificate.NotAfter.Before(m.CAExpires) {
				m.CASerial, m.CAExpires = serial(certificate), certificate.NotAfter
			}
		}
	}
	return m, nil
}

// keyPair is the node's certificate with its key.
func keyPair(t *config.TLS, c content) (tls.Certificate, error) {
	if _, err := certificates(c.cert); err != nil {
		return tls.Certificate{}, fmt.Errorf("certificate in %s: %w", t.CertFile, err)
	}
	for rest := c.key; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
			return tls.Certificate{}, fmt.Errorf("the key in %s is encrypted; write it in plain (openssl pkey) and guard the file instead", t.KeyFile)
		}
	}
	if !bytes.Contains(c.key, []byte("PRIVATE KEY-----")) {
		return tls.Certificate{}, fmt.Errorf("there is no private key in %s, in PEM", t.KeyFile)
	}
	pair, err := tls.X509KeyPair(c.cert, c.key)
	if err != nil {
		return pair, fmt.Errorf("the key in %s is not that of the certificate in %s: %w", t.KeyFile, t.CertFile, err)
	}
	return pair, nil
}

// certificates are those of a PEM file, at least one.
func certificates(text []byte) (all []*x509.Certificate, err error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, certificate)
	}
	if len(all) == 0 {
		return nil, errors.New("the file has no certificate, in PEM")
	}
	return all, nil
}

// usable says why a certificate that is to replace another must not; nil when
// it may.
func (m *Material) usable(name string, now time.Time) error {
	leaf := m.config.Certificates[0].Leaf
	switch at := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }; {
	case now.After(leaf.NotAfter):
		return fmt.Errorf("the certificate in %s has expired at %s", name, at(leaf.NotAfter))
	case now.Before(leaf.NotBefore):
		return fmt.Errorf("the certificate in %s is not valid before %s", name, at(leaf.NotBefore))
	}
	return nil
}

func serial(c *x509.Certificate) string { return fmt.Sprintf("%X", c.SerialNumber) }
