package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	// refName is how containerd learns the full name of an image it imports.
	// The OCI's own annotation holds the tag alone.
	refName = "io.containerd.image.name"
	tagName = "org.opencontainers.image.ref.name"
)

// blob is one file below blobs/sha256/ of an OCI layout.
type blob struct {
	digest v1.Hash
	open   func() (io.ReadCloser, error)
	size   int64
}

func (b blob) path() string { return "blobs/" + b.digest.Algorithm + "/" + b.digest.Hex }

// writeArchive writes img under the name ref, by way of a temporary file so that
// no reader meets half an archive.
func writeArchive(file, ref string, img v1.Image) error {
	tmp := file + ".tmp"
	f, err := os.Create(tmp)
	if err != nil {
		return fmt.Errorf("create the archive: %w", err)
	}
	err = errors.Join(writeLayout(f, ref, img), f.Close())
	if err == nil {
		err = os.Rename(tmp, file)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}

func writeLayout(out io.Writer, ref string, img v1.Image) error {
	tag, err := name.NewTag(ref)
	if err != nil {
		return err
	}
	manifest, config, layers, err := blobsOf(img)
	if err != nil {
		return err
	}
	index, err := json.Marshal(v1.IndexManifest{
		SchemaVersion: 2,
		MediaType:     types.OCIImageIndex,
		Manifests: []v1.Descriptor{{
			MediaType: types.OCIManifestSchema1, Digest: manifest.digest, Size: manifest.size,
			Annotations: map[string]string{refName: ref, tagName: tag.TagStr()},
		}},
	})
	if err != nil {
		return err
	}
	docker := tarball.Descriptor{Config: config.path(), RepoTags: []string{ref}}
	for _, l := range layers {
		docker.Layers = append(docker.Layers, l.path())
	}
	dockerManifest, err := json.Marshal(tarball.Manifest{docker})
	if err != nil {
		return err
	}

	w := tar.NewWriter(out)
	// The small files first: who only asks for the name need not read the layers.
	for _, f := range []struct {
		name string
		data []byte
	}{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", index}, {"manifest.json", dockerManifest}} {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: 0o644, Size: int64(len(f.data))}); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	for _, b := range append([]blob{manifest, config}, layers...) {
		if err := writeBlob(w, b); err != nil {
			return err
		}
	}
	return w.Close()
}

func writeBlob(w *tar.Writer, b blob) error {
	r, err := b.open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: b.path(), Mode: 0o644, Size: b.size}); err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

// blobsOf lists what an image consists of.
func blobsOf(img v1.Image) (manifest, config blob, layers []blob, err error) {
	fail := func(err error) (blob, blob, []blob, error) { return blob{}, blob{}, nil, err }
	rawManifest, err := img.RawManifest()
	if err != nil {
		return fail(err)
	}
	rawConfig, err := img.RawConfigFile()
	if err != nil {
		return fail(err)
	}
	if manifest, err = memoryBlob(rawManifest); err != nil {
		return fail(err)
	}
	if config, err = memoryBlob(rawConfig); err != nil {
		return fail(err)
	}
	all, err := img.Layers()
	if err != nil {
		return fail(err)
	}
	for _, l := range all {
		digest, err := l.Digest()
		if err != nil {
			return fail(err)
		}
		size, err := l.Size()
		if err != nil {
			return fail(err)
		}
		layers = append(layers, blob{digest: digest, open: l.Compressed, size: size})
	}
	return manifest, config, layers, nil
}

func memoryBlob(data []byte) (blob, error) {
	digest, size, err := v1.SHA256(bytes.NewReader(data))
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	return blob{digest: digest, open: open, size: size}, err
}

// archiveRef tells the name and the manifest's digest of an archive written by
// writeArchive. It reads no further than index.json.
func archiveRef(file string) (ref, digest string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return "", "", fmt.Errorf("%s: no index.json in it: not an OCI archive", file)
		}
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", file, err)
		}
		if h.Name != "index.json" {
			continue
		}
		index, err := v1.ParseIndexManifest(r)
		if err != nil {
			return "", "", fmt.Errorf("%s: index.json: %w", file, err)
		}
		if len(index.Manifests) != 1 || index.Manifests[0].Annotations[refName] == "" {
			return "", "", fmt.Errorf("%s: want one image with the annotation %s", file, refName)
		}
		return index.Manifests[0].Annotations[refName], index.Manifests[0].Digest.String(), nil
	}
}

// push uploads an archive to a registry under ref, with the credentials that
// `docker login` and its relatives leave in ~/.docker/config.json.
func push(file, ref string) (string, error) {
	tag, err := name.NewTag(ref)
	if err != nil {
		return "", err
	}
	img, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	if err := remote.Write(tag, img, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return "", fmt.Errorf("push %s: %w", ref, err)
	}
	digest, err := img.Digest()
	if err != nil {
		return "", err
	}
	return tag.Context().Name() + "@" + digest.String(), nil
}
