package pexta

import (
	"fmt"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/parallel/par"
)

// TestSharedCache: however many arrays are open, their chunks in memory together have at most half
// of the memory of the session; a closed array leaves its part to others.
func TestSharedCache(t *testing.T) {
	for _, limit := range []int{0, 20} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			dir := t.TempDir()
			err := par.Run(2, func(c par.Comm) error { return fillSession(c, dir, limit) })
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func fillSession(c par.Comm, dir string, limit int) error {
	const arrays, memory = 20, 64 << 20
	s := Start(Options{MaxArrays: limit, MaxMemory: memory})
	var handles []Handle
	for i := range 3 * arrays {
		if len(handles) == arrays { // a new one in place of an old one
			if err := s.Close(handles[0]); err != nil {
				return err
			}
			handles = handles[1:]
		}
		h, err := s.Create(c, Spec{Type: dtype.Float64, Shape: []int{10, 10}, File: filepath.Join(dir, fmt.Sprint(i))})
		if err != nil {
			return err
		}
		handles = append(handles, h)
		var sum int64
		for _, a := range s.arrays {
			sum += a.cache
		}
		if own := s.arrays[h].cache; sum > memory/2 || own < memory/2/arrays/32 || limit > 0 && own < memory/2/arrays {
			return fmt.Errorf("array %d of %d has %d bytes, all %d have %d", i, limit, own, len(s.arrays), sum)
		}
	}
	return s.Terminate()
}
