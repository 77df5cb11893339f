// Package persist keeps the data on disk, in the ecosystem's form: a folder with a base (an RDB file), files of
// commands that were appended since, and a manifest that says which of them count.
//
// So far it has manifests (manifest.go), what tells a torn end from damage in the midst (damage.go), and what saves a
// keyspace to a file while it goes on changing and loads it again (save.go, load.go). A node does not use them yet. The commands
// are read by package replog.
package persist
