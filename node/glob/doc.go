// Package glob matches the patterns of KEYS, SCAN MATCH and ZSCAN MATCH.
//
// The language is the ecosystem's: * ? [abc] [^abc] [a-z] and \ to take the
// next byte as it is. It works on bytes, not on runes. A match costs at most
// len(pattern) × len(s) steps, whatever a client sends.
package glob
