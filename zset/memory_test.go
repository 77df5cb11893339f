package zset

import (
	"reflect"
	"testing"
)

// countedMemory counts what a set holds by looking at all its fields, so that a field which MemoryUsage forgets
// makes the two differ.
func countedMemory(s *Set) int {
	return int(reflect.TypeFor[Set]().Size()) + behind(reflect.ValueOf(s).Elem())
}

// behind is the memory that a value refers to, beside its own.
func behind(v reflect.Value) int {
	total := 0
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			total += behind(v.Field(i))
		}
	case reflect.Slice:
		element := v.Type().Elem()
		total = v.Cap() * int(element.Size())
		if element.Kind() == reflect.Slice {
			for i := range v.Len() {
				total += behind(v.Index(i))
			}
		}
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*Tuning]() && !v.IsNil() { // a Tuning is shared
			total = int(v.Type().Elem().Size()) + behind(v.Elem())
		}
	}
	return total
}

// The histories compare after each step; here it is shown that the count sees what there is.
func TestCountedMemory(t *testing.T) {
	s := NewSeeded(nil, 1)
	empty := countedMemory(s)
	s.Add(make([]byte, 50), 1, 0)
	if packed := countedMemory(s); packed < empty+50 {
		t.Errorf("with a member of 50 bytes %d, empty %d", packed, empty)
	}
	s.Add(make([]byte, 100_000), 1, 0)
	if listed := countedMemory(s); s.Encoding() != SkipList || listed < empty+100_000 {
		t.Errorf("%v with a member of 100000 bytes %d, empty %d", s.Encoding(), listed, empty)
	}
	if got, want := s.MemoryUsage(), countedMemory(s); got != want {
		t.Errorf("MemoryUsage = %d, counted %d", got, want)
	}
	s.Release()
	if s.MemoryUsage() != empty {
		t.Errorf("released %d, empty %d", s.MemoryUsage(), empty)
	}
}
