package main

import (
	"archive/tar"
	"encoding/json"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// archiveOf packs a stand-in for a binary and gives the archive's path.
func archiveOf(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "node")
	if err := os.WriteFile(binary, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	img, err := newImage(spec{binary: binary, arch: "amd64", title: "node", licenses: "Apache-2.0"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "node.tar")
	if err := writeArchive(file, "zset.dev/node:t", img); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestArchiveIsReproducible(t *testing.T) {
	read := func(content string) string {
		b, err := os.ReadFile(archiveOf(t, content))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first, second := read("one"), read("one")
	if first != second {
		t.Error("the same binary gave two different archives")
	}
	if first == read("two") {
		t.Error("different binaries gave the same archive")
	}
}

func TestArchiveNamesItsImageInBothFormats(t *testing.T) {
	file := archiveOf(t, "binary")
	ref, digest, err := archiveRef(file)
	if err != nil {
		t.Fatal(err)
	}
	// The second reader is the one for Docker's format; it verifies the blobs.
	tag, err := name.NewTag("zset.dev/node:t")
	if err != nil {
		t.Fatal(err)
	}
	img, err := tarball.ImageFromPath(file, &tag)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err != nil {
		t.Errorf("by manifest.json: %v", err)
	}
	id, err := img.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	var manifest v1.Manifest
	if err := json.Unmarshal([]byte(fileIn(t, file, "blobs/"+strings.Replace(digest, ":", "/", 1))), &manifest); err != nil {
		t.Fatal(err)
	}
	if ref != "zset.dev/node:t" || manifest.Config.Digest != id {
		t.Errorf("index.json names %s with configuration %s, manifest.json %s with %s", ref, manifest.Config.Digest, tag, id)
	}
}

func TestConfiguration(t *testing.T) {
	img, err := tarball.ImageFromPath(archiveOf(t, "binary"), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Config.User != "65532:65532" || strings.Join(cfg.Config.Entrypoint, " ") != "/node" {
		t.Errorf("user %q, entry point %q", cfg.Config.User, cfg.Config.Entrypoint)
	}
	if _, ok := cfg.Config.Labels["org.opencontainers.image.version"]; ok {
		t.Error("an empty label was written")
	}
	if !cfg.Created.IsZero() {
		t.Errorf("created %v: the image depends on when it was made", cfg.Created)
	}
}

func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	ref := strings.TrimPrefix(server.URL, "http://") + "/team/node:v1"
	pushed, err := push(archiveOf(t, "binary"), ref)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := name.NewDigest(pushed)
	if err != nil {
		t.Fatalf("push printed %q: %v", pushed, err)
	}
	if _, err := remote.Image(digest); err != nil {
		t.Errorf("the registry does not have %s: %v", pushed, err)
	}
}

func fileIn(t *testing.T, archive, name string) string {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s in %s: %v", name, archive, err)
		}
		if h.Name == name {
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
	}
}
