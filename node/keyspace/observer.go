package keyspace

// Observer is told what becomes of keys without a command naming it. Its
// methods run while the key's partition is held: they must be brief, must not
// block, must not call the keyspace and must not keep the key's bytes.
type Observer interface {
	Created(key []byte) // there is a key now that was not there before
	Expired(key []byte) // a key goes because its time has come
	Evicted(key []byte) // a key goes to make room
	Missed(key []byte)  // a command that reads found no such key
}

// Observe says who is told. Call it before the keyspace is used.
func (ks *Keyspace) Observe(o Observer) { ks.observer = o }

// nobody is who is told when nobody asked.
type nobody struct{}

func (nobody) Created([]byte) {}
func (nobody) Expired([]byte) {}
func (nobody) Evicted([]byte) {}
func (nobody) Missed([]byte)  {}
