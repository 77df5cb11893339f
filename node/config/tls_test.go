package config

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"
)

func TestTLSProtocols(t *testing.T) {
	for text, want := range map[string]TLSProtocols{
		"":                {tls.VersionTLS12, tls.VersionTLS13, ""},
		"TLSv1.2 TLSv1.3": {tls.VersionTLS12, tls.VersionTLS13, "TLSv1.2 TLSv1.3"},
		"tlsv1.3 tlsv1.2": {tls.VersionTLS12, tls.VersionTLS13, "TLSv1.2 TLSv1.3"},
		"tlsv1.2":         {tls.VersionTLS12, tls.VersionTLS12, "TLSv1.2"},
		"TLSv1.3":         {tls.VersionTLS13, tls.VersionTLS13, "TLSv1.3"},
	} {
		if got := newConfig(t, "--tls-protocols", text).Values().TLS.Protocols; got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

// The names are those in OpenSSL's manual, ciphers(1).
func TestTLSCipherNames(t *testing.T) {
	for openssl, id := range map[string]uint16{
		"ECDHE-ECDSA-AES128-GCM-SHA256": tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
		"ECDHE-RSA-AES128-GCM-SHA256":   tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
		"ECDHE-ECDSA-AES256-GCM-SHA384": tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
		"ECDHE-RSA-AES256-GCM-SHA384":   tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		"ECDHE-ECDSA-CHACHA20-POLY1305": tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
		"ECDHE-RSA-CHACHA20-POLY1305":   tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		"ECDHE-RSA-AES128-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
		"ecdhe-rsa-aes256-sha":          tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
	} {
		for _, name := range []string{openssl, tls.CipherSuiteName(id)} {
			c := newConfig(t, "--tls-ciphers", name).Values().TLS.Ciphers
			if len(c.IDs) != 1 || c.IDs[0] != id || c.Text != name {
				t.Errorf("%s is %+v, want %d", name, c, id)
			}
		}
	}
	if c := newConfig(t, "--tls-ciphers", "DEFAULT").Values().TLS.Ciphers; c.IDs != nil {
		t.Errorf("DEFAULT is %v", c.IDs)
	}
	for text, want := range map[string]string{
		"DEFAULT:!MEDIUM":       `"DEFAULT" is no cipher`,
		"!MEDIUM":               `"!MEDIUM" is a rule of OpenSSL`,
		"kRSA+AES":              `"kRSA+AES" is a rule`,
		"AES128-SHA":            `"AES128-SHA" is no cipher of TLS 1.2 that the node has; those are ECDHE-ECDSA-AES128-GCM-SHA256, `,
		"ECDHE-RSA-AES128-SHA:": `"" is no cipher`,
	} {
		_, err := load([]string{"--tls-ciphers", text}, container)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", text, err, want)
		}
	}
}

// Whoever prepares a change may refuse it, and then nothing has changed.
func TestBeforeChange(t *testing.T) {
	c := newConfig(t)
	var asked []string
	committed, refuse := 0, false
	c.BeforeChange(func(names []string, next *Values) (func(), error) {
		asked = names
		return func() {
			committed++
			if c.Values() != next {
				t.Error("the values are not in force yet")
			}
		}, nil
	})
	c.BeforeChange(func([]string, *Values) (func(), error) {
		if refuse {
			return nil, errors.New("no")
		}
		return nil, nil
	})
	if err := c.Set("TLS-cert-file", "x", "timeout", "5"); err != nil {
		t.Fatal(err)
	}
	if strings.Join(asked, " ") != "tls-cert-file timeout" || committed != 1 || c.Values().TLS.CertFile != "x" {
		t.Errorf("asked with %q, committed %d times", asked, committed)
	}
	refuse = true
	const want = "ERR CONFIG SET failed (possibly related to argument 'timeout') - no"
	if err := c.Set("timeout", "6"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if committed != 1 || c.Get("timeout")[0].Value != "5" {
		t.Error("a refused change was made")
	}
}
