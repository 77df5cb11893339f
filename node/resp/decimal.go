package resp

// Decimal writes a number in the text the caller gives it: a double in RESP3,
// a bulk string in RESP2.
func (w *Writer) Decimal(text []byte) {
	if w.resp3 {
		w.buf = append(w.buf, ',')
		w.buf = append(w.buf, text...)
		w.buf = append(w.buf, '\r', '\n')
		return
	}
	w.Bulk(text)
}
