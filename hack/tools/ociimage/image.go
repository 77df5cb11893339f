package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nonRoot is the user and group of every process: the number distroless images
// use too. Numeric, so that runAsNonRoot can be verified without /etc/passwd.
const nonRoot = 65532

// spec says what goes into an image. Empty labels are left out.
type spec struct {
	binary                           string // path of a static executable
	arch                             string // GOARCH it was built for
	title, version, source, licenses string
}

// newImage makes the one-layer image in memory.
func newImage(s spec) (v1.Image, error) {
	layer, err := newLayer(s.binary)
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.AppendLayers(img, layer)
	if err != nil {
		return nil, fmt.Errorf("append the layer: %w", err)
	}
	labels := map[string]string{}
	for label, value := range map[string]string{"title": s.title, "version": s.version, "source": s.source, "licenses": s.licenses} {
		if value != "" {
			labels["org.opencontainers.image."+label] = value
		}
	}
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{
		OS:           "linux",
		Architecture: s.arch,
		RootFS:       rootFS(img),
		History:      []v1.History{{CreatedBy: "ociimage"}},
		Config: v1.Config{
			Entrypoint: []string{"/" + filepath.Base(s.binary)},
			User:       fmt.Sprintf("%d:%d", nonRoot, nonRoot),
			WorkingDir: "/",
			Env:        []string{"PATH=/"},
			Labels:     labels,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("set the configuration: %w", err)
	}
	return img, nil
}

// rootFS keeps the list of layers when the configuration is replaced.
func rootFS(img v1.Image) v1.RootFS {
	cfg, err := img.ConfigFile()
	if err != nil {
		panic(err) // made in memory a moment ago: it cannot fail to read
	}
	return cfg.RootFS
}

// newLayer is the file system: the binary, /tmp and /data.
func newLayer(binary string) (v1.Layer, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("read the binary: %w", err)
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	entries := []*tar.Header{
		{Typeflag: tar.TypeDir, Name: "data/", Mode: 0o755, Uid: nonRoot, Gid: nonRoot},
		{Typeflag: tar.TypeReg, Name: filepath.Base(binary), Mode: 0o555, Size: int64(len(content))},
		{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777},
	}
	for _, h := range entries {
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("write %s: %w", h.Name, err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(content); err != nil {
				return nil, fmt.Errorf("write %s: %w", h.Name, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("end the layer: %w", err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("compress the layer: %w", err)
	}
	return layer, nil
}
