package capi

import (
	"errors"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"drx"
)

// TestTable compares a table with a map, in random histories: open objects must be found, closed
// ones must be reported as closed, and any other number is not a handle.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := table[int]{kind: arrayKind}
		open, closed := map[Handle]int{}, map[Handle]bool{}
		pick := func(from map[Handle]int) Handle {
			for h := range from {
				return h
			}
			return 0
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				v := rapid.Int().Draw(t, "v")
				h, err := tab.add(v)
				if _, used := open[h]; err != nil || h == 0 || used || closed[h] {
					t.Fatalf("handle %#x, error %v", h, err)
				}
				open[h] = v
			},
			"remove": func(t *rapid.T) {
				h := pick(open)
				v, err := tab.remove(h)
				if h == 0 {
					if !errors.Is(err, ErrHandle) {
						t.Fatalf("handle 0: %v", err)
					}
					return
				}
				if err != nil || v != open[h] {
					t.Fatalf("removed %d, want %d: %v", v, open[h], err)
				}
				delete(open, h)
				closed[h] = true
			},
			"foreign": func(t *rapid.T) {
				h := Handle(rapid.Uint64().Draw(t, "h"))
				if _, ok := open[h]; ok || closed[h] {
					return
				}
				if _, err := tab.get(h); !errors.Is(err, ErrHandle) {
					t.Fatalf("handle %#x: %v", h, err)
				}
			},
			"": func(t *rapid.T) {
				for h, want := range open {
					if v, err := tab.get(h); err != nil || v != want {
						t.Fatalf("handle %#x: %d, want %d: %v", h, v, want, err)
					}
				}
				for h := range closed {
					if _, err := tab.get(h); CodeOf(err) != CodeClosed {
						t.Fatalf("closed handle %#x: %v", h, err)
					}
				}
			},
		})
	})
}

// TestTableConcurrent adds, finds and removes in many goroutines.
func TestTableConcurrent(t *testing.T) {
	tab := table[int]{kind: datasetKind}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			var handles []Handle
			for i := range 500 {
				h, err := tab.add(g*1000 + i)
				if err != nil {
					t.Error(err)
					return
				}
				if handles = append(handles, h); len(handles) > g*5 {
					if _, err := tab.remove(handles[0]); err != nil {
						t.Error(err)
					}
					if _, err := tab.get(handles[0]); !errors.Is(err, drx.ErrClosed) {
						t.Errorf("closed handle: %v", err)
					}
					handles = handles[1:]
				}
				for _, h := range handles {
					if v, err := tab.get(h); err != nil || v/1000 != g {
						t.Errorf("value %d: %v", v, err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestKinds checks that the error for a handle of another kind says so.
func TestKinds(t *testing.T) {
	d := table[int]{kind: datasetKind}
	h, err := d.add(1)
	if err != nil {
		t.Fatal(err)
	}
	a := table[int]{kind: arrayKind}
	if _, err := a.get(h); !errors.Is(err, ErrHandle) || CodeOf(err) != CodeHandle {
		t.Errorf("a dataset as an array: %v", err)
	}
}
