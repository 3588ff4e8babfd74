package chunkio

import "drx/axial"

// Summing is what is made of the bytes of a chunk, if that gives their checksum on the way; ok says
// whether it did.
type Summing func(bytes []byte) (sum uint32, ok bool)

// Use calls f with n bytes from byte from on of chunk q as View has them, and reports whether what f
// made of them counts. A chunk that has to be checked is checked after f if nobody can be writing it:
// its bytes are in the processor's cache then, where adding them up costs half of what it does in
// memory. (A writer changes the entry before the bytes: what f saw may then be older than what is
// checked.) So f may see bytes that are damaged, and has to be called again with good ones, or its
// work to be given up, where it does not count. Where all of such a chunk is used, summing is called
// instead of f, unless it is nil. The error is ErrUnwritten. It must be called within Guard.
func (s *Store) Use(q axial.Number, from, n int, f func(bytes []byte), summing Summing) (counts bool, err error) {
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
	good := true
	switch all := n == s.size && v.copied == nil; {
	case late && all && summing != nil:
		good = s.checkSummed(&v, summing)
	case late:
		f(v.Bytes)
		good = s.checkInPlace(&v)
	default:
		f(v.Bytes)
	}
	return s.Still(v) && good, nil
}

// checkSummed reports whether the chunk of a view is good, after summing.
func (s *Store) checkSummed(v *View, summing Summing) bool {
	sum, ok := summing(v.Bytes)
	if !ok {
		return s.checkInPlace(v)
	}
	return s.agree(v, sum)
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
