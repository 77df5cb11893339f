// Command ociimage packs static binaries into container images without a
// container engine, and moves them to a registry.
//
//	ociimage build -name zset.dev/node -o DIR [-tag TAG] BINARY   writes DIR/node-TAG.tar, prints its path
//	ociimage ref ARCHIVE...                                       prints "NAME:TAG sha256:DIGEST", one line each
//	ociimage push ARCHIVE NAME:TAG                                uploads it, prints NAME@sha256:DIGEST
//
// An image is FROM scratch: the binary as entry point, an empty /tmp anybody may
// write to and an empty /data that belongs to the user 65532. It needs no shell,
// no package and no writable root.
//
// The archive is an OCI image layout in one tar file with Docker's manifest.json
// beside its index.json, both naming the same blobs: `ctr images import` reads
// the first, `docker load` and `kind load image-archive` either.
//
// Everything is reproducible: all times are zero and nothing of the machine
// enters. So the default tag, "dev-" and 12 hex digits of the manifest's digest,
// changes when and only when the content does.
package main
