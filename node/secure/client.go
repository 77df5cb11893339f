package secure

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
)

// Client makes an encrypted connection of a socket to another node, with the node's own certificate. The other's must be of one of
// the authorities; whose it is does not matter, since nodes reach each other by names that change.
func (k *Keeper) Client(ctx context.Context, socket net.Conn) (net.Conn, error) {
	m := k.current.Load()
	if m.config.ClientCAs == nil {
		return nil, errors.New("tls-replication needs an authority (tls-ca-cert-file, tls-ca-cert-dir) to check the primary's certificate by")
	}
	conn := tls.Client(socket, &tls.Config{
		Certificates: m.config.Certificates, MinVersion: m.config.MinVersion, MaxVersion: m.config.MaxVersion, CipherSuites: m.config.CipherSuites,
		InsecureSkipVerify: true, // the name only: the rest is checked here
		VerifyConnection: func(state tls.ConnectionState) error {
			between := x509.NewCertPool()
			for _, c := range state.PeerCertificates[1:] {
				between.AddCert(c)
			}
			_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{
				Roots: m.config.ClientCAs, Intermediates: between, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
			})
			return err
		},
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return conn, nil
}
