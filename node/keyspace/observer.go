package keyspace

// Observer is told what becomes of keys without a command naming it. Its
// methods run while the key's partition is held: they must be brief, must not
// block and must not call the keyspace.
type Observer interface {
	Created(key string) // there is a key now that was not there before
	Expired(key string) // a key was removed because its time had come
	Evicted(key string) // a key was removed to make room
	Missed(key []byte)  // a command that reads found no such key
}

// Observe says who is told. Call it before the keyspace is used.
func (ks *Keyspace) Observe(o Observer) { ks.observer = o }

// nobody is who is told when nobody asked.
type nobody struct{}

func (nobody) Created(string) {}
func (nobody) Expired(string) {}
func (nobody) Evicted(string) {}
func (nobody) Missed([]byte)  {}

// expire removes an entry whose time has come.
func (p *partition) expire(ks *Keyspace, e *Entry) {
	key := e.key
	p.remove(ks, e)
	ks.expired.Add(1)
	p.touch(key)
	ks.observer.Expired(key)
}

// evict removes an entry to make room.
func (p *partition) evict(ks *Keyspace, e *Entry) {
	key := e.key
	p.remove(ks, e)
	ks.evicted.Add(1)
	p.touch(key)
	ks.observer.Evicted(key)
}
