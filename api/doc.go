// Package api holds the versions of the API, one package each, and generates what follows from them.
package api

//go:generate bash generate.sh
