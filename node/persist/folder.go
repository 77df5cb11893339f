package persist

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Folder is one of append-only files, with the manifest that says which of them count. Whoever has it says so when
// files come and go: each step leaves a folder that can be loaded, whenever a crash comes.
//
//	appendonlydir/
//	    appendonly.aof.manifest
//	    appendonly.aof.3.base.rdb
//	    appendonly.aof.7.incr.aof      what was logged since the base began
//	    appendonly.aof.8.incr.aof      written to
//
// One goroutine uses it at a time.
type Folder struct {
	disk     Disk
	path     string
	name     string // what names of files begin with
	manifest Manifest
}

// OpenFolder reads a folder's manifest; a folder that is not there is like one without files.
func OpenFolder(disk Disk, path, name string) (*Folder, error) {
	f := &Folder{disk: disk, path: path, name: name}
	text, err := readAll(disk, f.at(f.manifestName()))
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("persist: cannot read the manifest: %w", err)
	}
	m, err := ParseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, f.at(f.manifestName()))
	}
	f.manifest = *m
	return f, nil
}

func readAll(disk Disk, name string) (string, error) {
	f, err := disk.Open(name, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, manifestBytes+1))
	return string(text), err
}

func (f *Folder) manifestName() string { return f.name + ".manifest" }

// at is the path of a file.
func (f *Folder) at(name string) string { return filepath.Join(f.path, name) }

// Empty reports whether no file counts.
func (f *Folder) Empty() bool { return f.manifest.Base == nil && len(f.manifest.Incr) == 0 }

// Files are those that count, in the order in which they are loaded.
func (f *Folder) Files() []string {
	var names []string
	if f.manifest.Base != nil {
		names = append(names, f.manifest.Base.Name)
	}
	for _, i := range f.manifest.Incr {
		names = append(names, i.Name)
	}
	return names
}

// Sizes are the bytes of the files that count, the base's and all.
func (f *Folder) Sizes() (base, all int64) {
	for i, name := range f.Files() {
		h, err := f.disk.Open(f.at(name), os.O_RDONLY)
		if err != nil {
			continue
		}
		size, _ := h.Size()
		h.Close()
		all += size
		if i == 0 && f.manifest.Base != nil {
			base = size
		}
	}
	return base, all
}

// commit makes m the manifest.
func (f *Folder) commit(m Manifest) error {
	if err := replace(f.disk, f.at(f.manifestName()), m.String()); err != nil {
		return fmt.Errorf("persist: cannot write the manifest: %w", err)
	}
	f.manifest = m
	return nil
}

// last opens the file that was appended to last, to go on there. Of a base alone it makes one that counts.
func (f *Folder) last() (File, Handle, error) {
	if len(f.manifest.Incr) == 0 {
		file, h, err := f.next()
		if err == nil {
			err = f.chain(file)
		}
		return file, h, err
	}
	file := f.manifest.Incr[len(f.manifest.Incr)-1]
	h, err := f.disk.Open(f.at(file.Name), os.O_RDWR)
	if err != nil {
		return File{}, nil, err
	}
	size, err := h.Size()
	if err == nil {
		err = h.Truncate(size) // to write behind it
	}
	if err != nil {
		return File{}, nil, errors.Join(err, h.Close())
	}
	return file, h, nil
}

// next makes the file that is appended to next, which does not count yet.
func (f *Folder) next() (File, Handle, error) {
	seq := int64(1)
	for _, i := range f.manifest.Incr {
		seq = max(seq, i.Seq+1)
	}
	for _, p := range f.manifest.Past {
		seq = max(seq, p.Seq+1)
	}
	file := File{Name: fmt.Sprintf("%s.%d.incr.aof", f.name, seq), Seq: seq}
	if err := f.disk.Folder(f.path); err != nil {
		return File{}, nil, err
	}
	h, err := f.disk.Open(f.at(file.Name), os.O_CREATE|os.O_TRUNC|os.O_RDWR)
	if err != nil {
		return File{}, nil, err
	}
	if err := f.disk.SyncFolder(f.path); err != nil {
		return File{}, nil, errors.Join(err, h.Close())
	}
	return file, h, nil
}

// chain lets a file made by next count, behind the others.
func (f *Folder) chain(file File) error {
	m := f.manifest
	m.Incr = append(append([]File(nil), m.Incr...), file)
	return f.commit(m)
}

// base makes the file of the next base, under a name for the time being.
func (f *Folder) base() (file File, temp string, h Handle, err error) {
	seq := int64(1)
	if b := f.manifest.Base; b != nil {
		seq = b.Seq + 1
	}
	file = File{Name: fmt.Sprintf("%s.%d.base.rdb", f.name, seq), Seq: seq}
	temp = f.at("temp-" + file.Name)
	if err = f.disk.Folder(f.path); err != nil {
		return
	}
	h, err = f.disk.Open(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	return
}

// rebase lets a new base count, with the file that is appended to since it began and those behind that. All others are of the past.
func (f *Folder) rebase(base, since File) error {
	m := Manifest{Base: &base, Past: f.manifest.Past}
	if b := f.manifest.Base; b != nil {
		m.Past = append(m.Past, *b)
	}
	for _, i := range f.manifest.Incr {
		if i.Seq < since.Seq {
			m.Past = append(m.Past, i)
		} else {
			m.Incr = append(m.Incr, i)
		}
	}
	if len(m.Incr) == 0 {
		m.Incr = []File{since}
	}
	return f.commit(m)
}

// Clean removes the files of the past, and what an end in the midst of something left behind.
func (f *Folder) Clean() error {
	keep := map[string]bool{f.manifestName(): true}
	for _, name := range f.Files() {
		keep[name] = true
	}
	entries, err := f.disk.List(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	past := map[string]bool{}
	for _, p := range f.manifest.Past {
		past[p.Name] = true
	}
	for _, e := range entries {
		name := e.Name()
		if keep[name] || !past[name] && !f.leftover(name) {
			continue
		}
		err = errors.Join(err, f.disk.Remove(f.at(name)))
	}
	if err == nil && len(f.manifest.Past) > 0 {
		m := f.manifest
		m.Past = nil
		err = f.commit(m)
	}
	return err
}

// leftover reports whether a name is one that a crash leaves behind: of a file that does not count, or not yet.
func (f *Folder) leftover(name string) bool {
	own, temp := strings.CutPrefix(name, "temp-")
	if temp && strings.HasPrefix(own, f.name+".") || strings.HasPrefix(name, "temp-rewriteaof-") {
		return true
	}
	rest, own2 := strings.CutPrefix(name, f.name+".")
	return own2 && (strings.HasSuffix(rest, ".base.rdb") || strings.HasSuffix(rest, ".incr.aof") || strings.HasSuffix(rest, ".base.aof"))
}
