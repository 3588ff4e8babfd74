package keep_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"drx"
	"drx/dtype"
	"drx/hyper/internal/keep"
	"drx/internal/vfs"
)

// TestAgainstAMap compares a store, in random histories of commits and lost changes, with maps.
func TestAgainstAMap(t *testing.T) {
	before := vfs.OS
	vfs.OS = vfs.NewMem()
	t.Cleanup(func() { vfs.OS = before })
	rng := rand.New(rand.NewPCG(1, 1))
	for history := range 6 {
		name := fmt.Sprint("a", history)
		open := func() *keep.Store {
			s, err := keep.Open(name, "things", drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s, now, committed := open(), map[string][]byte{}, map[string][]byte{}
		for range 40 {
			key := string(rune('a' + rng.IntN(6)))
			var err error
			switch k := rng.IntN(10); {
			case k < 5:
				now[key] = make([]byte, rng.IntN(3)*rng.IntN(12_000))
				for i := range now[key] {
					now[key][i] = byte(rng.Uint32())
				}
				err = s.Put(key, now[key])
			case k < 6:
				delete(now, key)
				err = s.Delete(key)
			case k < 7 && rng.IntN(4) == 0:
				clear(now)
				s.Clear()
			case k < 9:
				committed = maps.Clone(now)
				err = s.Commit()
			default:
				if err = s.Close(); err == nil {
					s, now = open(), maps.Clone(committed)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			for k := range 6 {
				key := string(rune('a' + k))
				got, err := s.Get(key)
				if want, ok := now[key]; err != nil || !bytes.Equal(got, want) || (got == nil) == ok {
					t.Fatalf("history %d: %s has %d bytes, want %d, error %v", history, key, len(got), len(want), err)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a, err := drx.Create("other", drx.Spec{DType: dtype.Uint8, Shape: []int{1, 9}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"other", "things"}, {"a0", "pictures"}} {
		if _, err := keep.Open(c[0], c[1], drx.Options{}); err == nil {
			t.Errorf("%s are %s", c[0], c[1])
		}
	}
}
