package chunkio

import "drx/axial"

// Use calls f with n bytes from byte from on of chunk q as View has them, and reports whether what f
// made of them counts. A chunk that has to be checked is checked after f if nobody can be writing it:
// its bytes are in the processor's cache then, where adding them up costs half of what it does in
// memory. (A writer changes the entry before the bytes: what f saw may then be older than what is
// checked.) So f may see bytes that are damaged, and has to be called again with good ones, or its
// work to be given up, where it does not count. The error is ErrUnwritten. It must be called within
// Guard.
func (s *Store) Use(q axial.Number, from, n int, f func(bytes []byte)) (counts bool, err error) {
	late := false
	v, err := s.view(q, from, n, func(v *View) bool {
		if late = s.quiet(v); late {
			return s.bringIn(v)
		}
		return s.goodInPlace(v)
	})
	if err != nil || v.Bytes == nil {
		return false, err
	}
	f(v.Bytes)
	good := !late || s.checkInPlace(&v)
	return s.Still(v) && good, nil
}

// quiet reports whether the chunk of a view has to be checked and no writer has the array open, now
// that its entry is known.
func (s *Store) quiet(v *View) bool {
	return s.files.Writing != nil && s.mustCheck(v.number, v.change.entry, s.files.Checking) && !s.files.Writing()
}

// bringIn lets the system read a chunk that is going to be checked: it is not used in pages.
func (s *Store) bringIn(v *View) bool {
	if !v.early && s.mustCheck(v.number, v.change.entry, s.files.Checking) {
		s.mapped.data.Ahead(int64(s.OffsetOf(v.number)), s.size)
	}
	return true
}

// goodInPlace is what View wants to know of a chunk.
func (s *Store) goodInPlace(v *View) bool { return s.bringIn(v) && s.checkInPlace(v) }
