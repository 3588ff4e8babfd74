package drxmp

import (
	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// ReadStrided is ReadBytes into parts of buf: the element at position p of the section goes to byte
// sum(p[d]*strides[d]) of buf, see drx.Array.ReadStrided. The other bytes of buf do not change.
func (a *Array) ReadStrided(sec nd.Section, buf []byte, strides []int) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	s, err := a.stridedSelection(false, sec, buf, strides)
	if err != nil {
		return a.errorf("read", err)
	}
	return a.readAlone(s)
}

// WriteStrided is WriteBytes from parts of buf, which is laid out as for ReadStrided.
func (a *Array) WriteStrided(sec nd.Section, buf []byte, strides []int) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	s, err := a.stridedSelection(true, sec, buf, strides)
	if err != nil {
		return a.errorf("write", err)
	}
	return a.writeAlone(s)
}

// stridedSelection checks a section and a buffer with strides in bytes, with a.mu held. A nil
// section is the whole array. The error wraps drx.ErrRank, ErrBounds or ErrSize, or is that of
// usable.
func (a *Array) stridedSelection(write bool, sec nd.Section, buf []byte, strides []int) (*selection, error) {
	if err := a.usable(write); err != nil {
		return nil, err
	}
	sec, err := sec.Resolve(a.member.array.Bounds().Bounds())
	if err != nil {
		return nil, err
	}
	if err := nd.CheckRank("strides", len(strides), len(sec)); err != nil {
		return nil, err
	}
	end, fits := a.dtype.Size(), true
	for d, n := range sec.Shape() {
		if strides[d] < 0 {
			return nil, nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrSize, "stride %d is negative", strides[d]))
		}
		if n == 0 {
			return a.selection(write, sec, nil, nil)
		}
		span, ok := nd.Mul(n-1, strides[d])
		sum, ok2 := nd.Add(end, span)
		end, fits = sum, fits && ok && ok2
	}
	if !fits || end > len(buf) {
		return nil, errkind.Errorf(drx.ErrSize, "section %v with strides %v does not fit into a buffer of %d bytes", sec, strides, len(buf))
	}
	return &selection{a.decomposition, a.comm.Proc(), a.dtype.Size(), sec, buf, strides}, nil
}
