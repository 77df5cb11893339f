package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
)

const usage = `usage:
  ociimage build -name NAME -o DIR [-tag TAG] [-arch ARCH] [-title T] [-version V] [-source URL] [-licenses SPDX] BINARY
  ociimage ref ARCHIVE...
  ociimage push ARCHIVE NAME:TAG
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "ociimage:", err)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) > 1 && args[0] == "build":
		return build(args[1:])
	case len(args) > 1 && args[0] == "ref":
		for _, file := range args[1:] {
			ref, digest, err := archiveRef(file)
			if err != nil {
				return err
			}
			fmt.Println(ref, digest)
		}
		return nil
	case len(args) == 3 && args[0] == "push":
		pushed, err := push(args[1], args[2])
		if err != nil {
			return err
		}
		fmt.Println(pushed)
		return nil
	}
	fmt.Fprint(os.Stderr, usage)
	return flag.ErrHelp
}

func build(args []string) error {
	var s spec
	var name, tag, dir string
	fs := flag.NewFlagSet("build", flag.ContinueOnError)
	fs.StringVar(&name, "name", "", "repository of the image, such as zset.dev/node")
	fs.StringVar(&tag, "tag", "", `tag; default "dev-" and 12 hex digits of the content's digest`)
	fs.StringVar(&dir, "o", ".", "folder of the archive")
	fs.StringVar(&s.arch, "arch", runtime.GOARCH, "architecture of the binary, as GOARCH")
	fs.StringVar(&s.title, "title", "", "label org.opencontainers.image.title")
	fs.StringVar(&s.version, "version", "", "label org.opencontainers.image.version")
	fs.StringVar(&s.source, "source", "", "label org.opencontainers.image.source")
	fs.StringVar(&s.licenses, "licenses", "", "label org.opencontainers.image.licenses")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if name == "" || fs.NArg() != 1 {
		return errors.New("build needs -name and one binary")
	}
	s.binary = fs.Arg(0)
	img, err := newImage(s)
	if err != nil {
		return err
	}
	if tag == "" {
		digest, err := img.Digest()
		if err != nil {
			return fmt.Errorf("digest of the image: %w", err)
		}
		tag = "dev-" + digest.Hex[:12]
	}
	file := filepath.Join(dir, path.Base(name)+"-"+tag+".tar")
	if err := writeArchive(file, name+":"+tag, img); err != nil {
		return err
	}
	fmt.Println(file)
	return nil
}
