package config

import "strings"

// BindAddress is one address of a bind directive.
type BindAddress struct {
	Network  string // "tcp", "tcp4" or "tcp6", for net.Listen
	Host     string // "" = every interface
	Optional bool   // written with a leading '-': no error when the machine lacks it
}

// ParseBind reads one address of a bind directive: a name or IP address,
// "*" for every IPv4 interface, "::*" for every IPv6 interface, each with a
// leading '-' when the machine may lack it.
func ParseBind(s string) BindAddress {
	host, optional := strings.CutPrefix(s, "-")
	a := BindAddress{Network: "tcp", Host: host, Optional: optional}
	switch {
	case host == "*" || host == "0.0.0.0":
		a.Network, a.Host = "tcp4", ""
	case host == "::*" || host == "::":
		a.Network, a.Host = "tcp6", ""
	}
	return a
}
