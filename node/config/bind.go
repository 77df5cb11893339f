package config

import "strings"

// BindAddress is one address of a bind directive, in the terms of net.Listen.
type BindAddress struct {
	Network  string // "tcp", "tcp4" or "tcp6"
	Host     string // "" = every interface
	Optional bool   // written with a leading '-': no error when the machine lacks it
}

// ParseBind reads one address of a bind directive: a name or IP address,
// "*" for every IPv4 interface, "::*" for every IPv6 interface, each with a
// leading '-' when the machine may lack it.
func ParseBind(s string) BindAddress {
	host, optional := strings.CutPrefix(s, "-")
	a := BindAddress{Network: "tcp", Host: host, Optional: optional}
	switch host {
	case "*", "0.0.0.0":
		a.Network, a.Host = "tcp4", ""
	case "::*", "::":
		a.Network, a.Host = "tcp6", ""
	}
	return a
}

// maxAddresses bounds a bind directive, as in real servers.
const maxAddresses = 16

// addresses is the kind of bind and http-bind. With none, field becomes nil
// if that is allowed.
func addresses(field func(*Values) *[]string, mayBeEmpty bool) kind {
	allowed := "up to 16 addresses; * and ::* are every interface, a leading - lets one be missing"
	if mayBeEmpty {
		allowed = `as bind; "" = the addresses of bind`
	}
	return kind{
		allowed: allowed,
		list:    true,
		set: func(v *Values, values []string, _ machine) error {
			switch {
			case len(values) > maxAddresses:
				return reason("Too many bind addresses specified.")
			case len(values) == 0 && !mayBeEmpty:
				return reason("at least one address is needed")
			case len(values) == 0:
				*field(v) = nil
				return nil
			}
			for _, value := range values {
				if host := strings.TrimPrefix(value, "-"); host == "" || strings.ContainsAny(host, "/[]\"' ") {
					return reason("not an address: " + value)
				}
			}
			*field(v) = append([]string(nil), values...)
			return nil
		},
		get: func(v *Values) string { return strings.Join(*field(v), " ") },
	}
}
