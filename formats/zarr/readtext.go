package zarr

import (
	"encoding/binary"
	"fmt"
	"slices"

	"drx/formats"
)

// readText reads all strings of an array. labels come in the order of their first appearance, row
// by row; elements holds the index of each element's string, in the order of the array's chunks.
func (r *reader) readText() (labels []string, elements []byte, err error) {
	total, err := r.info.Bytes()
	if err != nil {
		return nil, nil, err
	}
	limit := r.store.memory / 2
	if int64(total) > limit {
		return nil, nil, fmt.Errorf("%d strings: %w: they may take %d bytes", total/4, formats.ErrMemory, limit)
	}
	elements = make([]byte, total)
	l := formats.NewLabeler(limit - int64(total))
	whole := r.wholeSection()
	err = r.eachUnit(whole, func(u unit) error {
		indices, err := r.textUnit(u, l)
		if err != nil {
			return err
		}
		to := newBox(u.lo, make([]int, len(u.lo)), r.info.Shape, r.info.Order, 4)
		if indices == nil {
			var fill [4]byte
			i, err := l.Add(r.a.empty)
			binary.LittleEndian.PutUint32(fill[:], i)
			fillBox(elements, to, u.shape(), r.info.Order, fill[:])
			return err
		}
		from := newBox(u.lo, u.origin, r.unit, r.info.Order, 4)
		copyBox(elements, to, indices, from, u.shape(), r.info.Order, 4)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return renumber(l.Labels(), elements, r.info), elements, nil
}

// textUnit returns the indices of the strings in a chunk, or nil if the chunk is missing.
func (r *reader) textUnit(u unit, l *formats.Labeler) ([]byte, error) {
	data, err := r.encoded(u)
	if data == nil || err != nil {
		return nil, err
	}
	if data, err = r.undo(data, int(min(r.store.memory/4, 1<<31-1))); err != nil {
		return nil, err
	}
	var out []byte
	n := r.unitElements
	// A chunk at the edge also has strings beyond the array, which are dropped.
	err = r.a.eachString(data, n, func(i int, s string) error {
		if out == nil {
			out = make([]byte, 4*n)
		}
		if !r.inside(u, i) {
			return nil
		}
		label, err := l.Add(s)
		binary.LittleEndian.PutUint32(out[4*i:], label)
		return err
	})
	if out == nil && err == nil {
		out = []byte{}
	}
	return out, err
}

// inside reports whether element i of a chunk lies in the array.
func (r *reader) inside(u unit, i int) bool {
	dims := r.info.Order.Dims(len(r.unit))
	for k := len(dims) - 1; k >= 0; k-- {
		d := dims[k]
		if u.origin[d]+i%r.unit[d] >= r.info.Shape[d] {
			return false
		}
		i /= r.unit[d]
	}
	return true
}

// renumber sorts labels by their first appearance in row-major order and updates the elements,
// which come in the order of info.
func renumber(labels []string, elements []byte, info formats.Info) []string {
	if len(elements) == 0 {
		return []string{}
	}
	number := make([]uint32, len(labels)) // 1 + the new number; 0 if there is none yet
	var sorted []string
	row := newBox(make([]int, len(info.Shape)), make([]int, len(info.Shape)), info.Shape, nil, 4)
	have := newBox(make([]int, len(info.Shape)), make([]int, len(info.Shape)), info.Shape, info.Order, 4)
	_ = eachRun(info.Shape, nil, 4, row, have, func(_, at, n int) error {
		for e := elements[at : at+n]; len(e) > 0; e = e[4:] {
			old := binary.LittleEndian.Uint32(e)
			if number[old] == 0 {
				sorted = append(sorted, labels[old])
				number[old] = uint32(len(sorted))
			}
			binary.LittleEndian.PutUint32(e, number[old]-1)
		}
		return nil
	})
	return slices.Clip(sorted)
}
