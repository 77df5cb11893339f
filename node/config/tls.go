package config

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// TLS is what clients that encrypt are served with. The files are read by
// whoever serves, not here.
type TLS struct {
	Port            int    // TCP port of RESP over TLS; 0 = off
	CertFile        string // PEM: the node's certificate, then what leads to its authority
	KeyFile         string // PEM: its private key, not encrypted
	CACertFile      string // PEM: authorities of clients' certificates
	CACertDir       string // a folder of such files
	AuthClients     string // "yes": clients need a certificate, "optional": one they show must be good, "no": none is asked for
	AuthClientsUser string // "cn": a certificate's common name is its client's user, "off": it is not
	Protocols       TLSProtocols
	Ciphers         TLSCiphers
	Ciphersuites    string        // of TLS 1.3, as written; there is no choice
	ServerOrder     bool          // accepted; see its note in the table
	SessionCaching  bool          // clients may resume sessions
	ReloadInterval  time.Duration // between two looks at the files; 0 = none
}

// TLSProtocols is a span of versions, by the numbers of crypto/tls.
type TLSProtocols struct {
	Min, Max uint16
	Text     string // canonical; "" = the default
}

// TLSCiphers are cipher suites of TLS 1.2, by the numbers of crypto/tls; nil is
// what crypto/tls thinks best.
type TLSCiphers struct {
	IDs  []uint16
	Text string // as written
}

var tlsProtocols = kind{
	allowed: `TLSv1.2, TLSv1.3 or both; "" = both`,
	list:    true,
	set: func(v *Values, values []string, _ machine) error {
		p := TLSProtocols{}
		for _, value := range values {
			version := uint16(tls.VersionTLS13)
			switch strings.ToLower(value) {
			case "tlsv1.3":
			case "tlsv1.2":
				version = tls.VersionTLS12
			case "tlsv1", "tlsv1.1":
				return reason(value + " is broken and not served")
			default:
				return reason("not a version of TLS: " + value)
			}
			p.Max = max(p.Max, version)
			if p.Min == 0 || version < p.Min {
				p.Min = version
			}
		}
		switch {
		case p.Min == 0:
			p.Min, p.Max = tls.VersionTLS12, tls.VersionTLS13
		case p.Min != p.Max:
			p.Text = "TLSv1.2 TLSv1.3"
		case p.Min == tls.VersionTLS12:
			p.Text = "TLSv1.2"
		default:
			p.Text = "TLSv1.3"
		}
		v.TLS.Protocols = p
		return nil
	},
	get: func(v *Values) string { return v.TLS.Protocols.Text },
}

// cipherIDs are the suites of TLS 1.2 that crypto/tls thinks sound, by the
// names of its own and those of OpenSSL, in upper case.
var cipherIDs = func() map[string]uint16 {
	ids := map[string]uint16{}
	for _, suite := range tls.CipherSuites() {
		if slices.Contains(suite.SupportedVersions, tls.VersionTLS12) {
			ids[suite.Name] = suite.ID
			ids[openSSLName(suite.Name)] = suite.ID
		}
	}
	return ids
}()

// openSSLName is what OpenSSL calls a suite of TLS 1.2: it leaves out what
// goes without saying.
func openSSLName(name string) string {
	name = strings.NewReplacer("TLS_", "", "_WITH", "", "AES_", "AES", "_CBC", "").Replace(name)
	name = strings.ReplaceAll(name, "_", "-")
	return strings.Replace(name, "POLY1305-SHA256", "POLY1305", 1)
}

// cipherNames are OpenSSL's, for an error.
func cipherNames() string {
	var names []string
	for name := range cipherIDs {
		if !strings.HasPrefix(name, "TLS_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

var tlsCiphers = kind{
	allowed: "names as OpenSSL or Go has them, apart by colons; DEFAULT or \"\" = the sound ones",
	set: func(v *Values, values []string, _ machine) error {
		c := TLSCiphers{Text: values[0]}
		if values[0] != "" && !strings.EqualFold(values[0], "DEFAULT") {
			for name := range strings.SplitSeq(values[0], ":") {
				if strings.ContainsAny(name, "!+@") || strings.HasPrefix(name, "-") {
					return selfContained(fmt.Sprintf("%q is a rule of OpenSSL, which the node does not follow; name each cipher: %s", name, cipherNames()))
				}
				id, ok := cipherIDs[strings.ToUpper(name)]
				if !ok {
					return selfContained(fmt.Sprintf("%q is no cipher of TLS 1.2 that the node has; those are %s", name, cipherNames()))
				}
				c.IDs = append(c.IDs, id)
			}
		}
		v.TLS.Ciphers = c
		return nil
	},
	get: func(v *Values) string { return v.TLS.Ciphers.Text },
}

// suites13 are those of TLS 1.3, which crypto/tls always has.
var suites13 = []string{"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"}

var tlsCiphersuites = kind{
	allowed: `"", or all three: ` + strings.Join(suites13, ":"),
	set: func(v *Values, values []string, _ machine) error {
		if values[0] != "" {
			names := strings.Split(strings.ToUpper(values[0]), ":")
			slices.Sort(names)
			if !slices.Equal(names, suites13) {
				return selfContained("the suites of TLS 1.3 cannot be chosen, all three are sound; leave this empty or name all: " + strings.Join(suites13, ":"))
			}
		}
		v.TLS.Ciphersuites = values[0]
		return nil
	},
	get: func(v *Values) string { return v.TLS.Ciphersuites },
}

// checkTLS refuses what cannot be together.
func checkTLS(v *Values) error {
	t := &v.TLS
	switch {
	case t.Port == 0:
		return nil
	case t.Port == v.Port || t.Port == v.HTTPPort:
		return fmt.Errorf("tls-port %d is the port or the http-port, too; each needs its own", t.Port)
	case t.CertFile == "" || t.KeyFile == "":
		return errors.New("tls-port needs tls-cert-file and tls-key-file")
	case t.AuthClients != "no" && t.CACertFile == "" && t.CACertDir == "":
		return fmt.Errorf("tls-auth-clients %s needs tls-ca-cert-file or tls-ca-cert-dir; without client certificates, say tls-auth-clients no", t.AuthClients)
	}
	return nil
}
