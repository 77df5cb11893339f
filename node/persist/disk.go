package persist

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Disk is where files are. Tests have one that fails.
type Disk interface {
	// Open opens a file, with the flags of package os.
	Open(name string, flag int) (Handle, error)
	Rename(from, to string) error
	Remove(name string) error
	// Folder makes a folder, if it is not there.
	Folder(name string) error
	List(name string) ([]fs.DirEntry, error)
	// SyncFolder has the names in a folder on disk once it returns.
	SyncFolder(name string) error
}

// A Handle is an open file.
type Handle interface {
	io.ReadWriteCloser
	io.ReaderAt
	Size() (int64, error)
	Sync() error
	// Truncate cuts a file off, and lets writing go on there.
	Truncate(size int64) error
}

// System is the Disk that the system has.
type System struct{}

// Open implements Disk.
func (System) Open(name string, flag int) (Handle, error) {
	f, err := os.OpenFile(name, flag, 0o644)
	if err != nil {
		return nil, err
	}
	return handle{f}, nil
}

// Rename implements Disk.
func (System) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements Disk.
func (System) Remove(name string) error { return os.Remove(name) }

// Folder implements Disk.
func (System) Folder(name string) error {
	if err := os.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// List implements Disk.
func (System) List(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// SyncFolder implements Disk.
func (System) SyncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	return errors.Join(err, f.Close())
}

type handle struct{ *os.File }

func (h handle) Size() (int64, error) {
	info, err := h.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (h handle) Truncate(size int64) error {
	if err := h.File.Truncate(size); err != nil {
		return err
	}
	_, err := h.Seek(size, io.SeekStart)
	return err
}

// replace puts text in the place of a file, so that after a crash it has the one or the other.
func replace(disk Disk, name, text string) error {
	folder := filepath.Dir(name)
	temp := filepath.Join(folder, "temp-"+filepath.Base(name))
	f, err := disk.Open(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return settle(disk, f, err, temp, name)
}

// settle ends the writing of a file, unless that failed: it is on disk, and has its name, once settle returns.
func settle(disk Disk, f Handle, err error, temp, name string) error {
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = disk.Rename(temp, name)
	}
	if err != nil {
		disk.Remove(temp) // what is left is in nobody's way
		return err
	}
	return disk.SyncFolder(filepath.Dir(name))
}
