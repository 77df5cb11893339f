package rdb

// The values of other types are passed over by their shape: a number of strings, of lengths and of bytes. A file
// from elsewhere can so be read for its sorted sets, or be refused by the name of the first key that is not one.

const (
	streamID   = 16 // bytes of an entry's identifier
	timeBytes  = 8
	hash2      = 22 // in Valkey's numbering
	moduleEnd  = 0
	moduleSint = 1
	moduleUint = 2
	moduleF32  = 3
	moduleF64  = 4
	moduleText = 5
)

// pass reads over what stands between keys.
func (d *Decoder) pass(op byte) error {
	switch op {
	case opSlotInfo:
		return d.passLengths(3)
	case opSlotImport:
		if err := d.passText(); err != nil {
			return err
		}
		return d.passEach(func() error { return d.passLengths(2) })
	}
	return d.passModule() // a module's own data
}

// passValue reads over a value of a type in otherTypes.
func (d *Decoder) passValue(kind byte) error {
	switch kind {
	case 0, 9, 10, 11, 13, 16, 20, 23: // a string, or what is packed into one
		return d.passText()
	case 1, 2, 14: // list, set, quicklist
		return d.passEach(d.passText)
	case 4: // hash: fields and values
		return d.passEach(func() error { return d.passTexts(2) })
	case 18: // quicklist: how each node is packed, and the node
		return d.passEach(func() error { return d.passThen(d.passLength, d.passText) })
	case hash2:
		if d.valkey { // field, value and the field's expiry
			return d.passEach(func() error {
				if err := d.passTexts(2); err != nil {
					return err
				}
				return d.passBytes(timeBytes)
			})
		}
		return d.passTimedFields()
	case 24: // hash: the first expiry, and fields with theirs
		return d.passThen(d.passTime, d.passTimedFields)
	case 25: // the same, packed
		return d.passThen(d.passTime, d.passText)
	case 7:
		return d.passModule()
	case 15, 19, 21:
		return d.passStream(kind)
	}
	return ErrFormat // a module's value without a description of its shape
}

func (d *Decoder) passTimedFields() error {
	return d.passEach(func() error { return d.passThen(d.passLength, func() error { return d.passTexts(2) }) })
}

// passModule reads over a module's number and what it wrote, which says of each part what it is.
func (d *Decoder) passModule() error {
	if err := d.passLength(); err != nil {
		return err
	}
	for {
		part, err := d.count()
		if err != nil {
			return err
		}
		switch part {
		case moduleEnd:
			return nil
		case moduleSint, moduleUint:
			err = d.passLength()
		case moduleF32:
			err = d.passBytes(4)
		case moduleF64:
			err = d.passBytes(8)
		case moduleText:
			err = d.passText()
		default:
			err = ErrFormat
		}
		if err != nil {
			return err
		}
	}
}

// passStream reads over a stream: its entries, its figures, its groups, and in each who read what.
func (d *Decoder) passStream(kind byte) error {
	const second, third = 19, 21
	figures := 3 // length, and the last identifier
	if kind >= second {
		figures += 5 // the first identifier, the greatest that was deleted, and how many were ever added
	}
	group := 2 // the last identifier it delivered
	if kind >= second {
		group++ // how many entries it read
	}
	times := 1 // when a consumer was last seen
	if kind >= third {
		times++ // and when it last got something
	}
	if err := d.passEach(func() error { return d.passTexts(2) }); err != nil {
		return err
	}
	if err := d.passLengths(figures); err != nil {
		return err
	}
	return d.passEach(func() error {
		if err := d.passText(); err != nil {
			return err
		}
		if err := d.passLengths(group); err != nil {
			return err
		}
		pending := func() error {
			return d.passThen(func() error { return d.passBytes(streamID + timeBytes) }, d.passLength)
		}
		if err := d.passEach(pending); err != nil {
			return err
		}
		return d.passEach(func() error { // consumers
			if err := d.passText(); err != nil {
				return err
			}
			if err := d.passBytes(timeBytes * times); err != nil {
				return err
			}
			return d.passEach(func() error { return d.passBytes(streamID) })
		})
	})
}

// passEach reads a count, and over that many.
func (d *Decoder) passEach(one func() error) error {
	n, err := d.count()
	for ; err == nil && n > 0; n-- {
		err = one()
	}
	return err
}

func (d *Decoder) passThen(first, second func() error) error {
	if err := first(); err != nil {
		return err
	}
	return second()
}

func (d *Decoder) passLengths(n int) error {
	for range n {
		if err := d.passLength(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Decoder) passTexts(n int) error {
	for range n {
		if err := d.passText(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Decoder) passLength() error {
	_, err := d.count()
	return err
}

func (d *Decoder) passTime() error { return d.passBytes(timeBytes) }

func (d *Decoder) passBytes(n int) error {
	_, err := d.take(uint64(n))
	return err
}

// passText reads over a string without putting it together.
func (d *Decoder) passText() error {
	n, isSpecial, err := d.length()
	if err != nil {
		return err
	}
	if isSpecial {
		switch n {
		case stringInt8, stringInt16, stringInt32:
			return d.passBytes(1 << n)
		case stringLZF:
			packed, err := d.count()
			if err != nil {
				return err
			}
			if _, err := d.count(); err != nil {
				return err
			}
			return d.passMany(packed)
		}
		return ErrFormat
	}
	return d.passMany(n)
}

// passMany reads over n bytes, of which there may be more than fit into memory.
func (d *Decoder) passMany(n uint64) error {
	for n > 0 {
		some := min(n, streamBytes)
		if _, err := d.take(some); err != nil {
			return err
		}
		n -= some
	}
	return nil
}
