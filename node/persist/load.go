package persist

import (
	"fmt"
	"io"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
)

// A Loader puts the keys of a file into a keyspace.
type Loader struct {
	Keyspace  *keyspace.Keyspace
	Now       func() int64 // milliseconds since the epoch
	SkipOther bool         // leave out what is not a sorted set in database 0, instead of refusing the file

	// KeepExpired loads keys whose time has come, too: what follows the file may say that they go later.
	KeepExpired bool

	// Aux is called with each name and value, if not nil; Function with each library's code, if not nil.
	Aux      func(name, value []byte)
	Function func(code []byte) error

	Loaded  int64 // keys that are there now
	Expired int64 // keys whose time had come
	Skipped int64 // keys left out
}

// OtherKeyError is for a file with a key that this server cannot hold.
type OtherKeyError struct {
	Key      string
	Type     string // zset when only the database is wrong
	Database int
}

func (e *OtherKeyError) Error() string {
	if e.Database != 0 {
		return fmt.Sprintf("persist: key %q is in database %d, and there is only database 0 here", e.Key, e.Database)
	}
	return fmt.Sprintf("persist: key %q holds a %s, and this server holds sorted sets only", e.Key, e.Type)
}

// Load reads a file to its end. What a key held before is replaced. After an error some keys are there: of those before it all but
// the last few hundred. The error is an *OtherKeyError, keyspace.ErrFull when there is no memory for a key, which it names, or
// the file's.
//
// One goroutine takes the file apart, the caller's, and another one puts the keys where they belong.
func (l *Loader) Load(file *rdb.Decoder) error {
	in := startInserter(l)
	err := l.read(file, in)
	if failure := in.end(err == nil); failure != nil {
		return failure // it was first
	}
	return err
}

// read takes a file apart.
func (l *Loader) read(file *rdb.Decoder, in *inserter) error {
	for {
		rec, err := file.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch rec.Kind {
		case rdb.Aux:
			if l.Aux != nil {
				l.Aux(rec.Name, rec.Value)
			}
		case rdb.Function:
			if l.Function != nil {
				err = l.Function(rec.Value)
			}
		case rdb.OtherKey:
			err = l.other(&rec)
		case rdb.Key:
			if rec.Database == 0 {
				in.total = file.Keys()
			}
			err = l.key(&rec, in)
		}
		if err != nil {
			return err
		}
	}
}

// other is what becomes of a key that cannot be held.
func (l *Loader) other(rec *rdb.Record) error {
	if !l.SkipOther {
		kind := rec.Type
		if rec.Kind == rdb.Key {
			kind = "zset"
		}
		return &OtherKeyError{string(rec.Name), kind, rec.Database}
	}
	l.Skipped++
	return nil
}

// key hands a key on, unless it is left out.
func (l *Loader) key(rec *rdb.Record, in *inserter) error {
	switch {
	case rec.Database != 0:
		rec.Release()
		return l.other(rec)
	case rec.Meta.ExpireAt != 0 && rec.Meta.ExpireAt <= l.Now() && !l.KeepExpired:
		rec.Release()
		l.Expired++
		return nil
	}
	return in.add(rec)
}
