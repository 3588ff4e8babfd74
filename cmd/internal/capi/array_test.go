package capi

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"drx"
	"drx/dtype"
)

// create makes an array of int16 in a new folder.
func create(t *testing.T, shape []int, options string) (Handle, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a")
	h, err := Create(name, dtype.Int16, shape, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = Discard(h) })
	return h, name
}

// TestOptions checks that every option of a new array takes effect.
func TestOptions(t *testing.T) {
	h, name := create(t, []int{2, 3}, `{"lo": [-1, 4], "chunk": [2, 2], "order": "hilbert", "fill": -7, "dims": ["y", "x"], "align": 512,
		"attrs": {"units": "mm", "n": [1, 2]}, "cache": 4096, "goroutines": 1, "durability": "none", "checking": "always"}`)
	text, err := Info(h)
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		Lo, Hi, Chunk []int
		Order         string
		Fill, Align   int
		Dims          []string
		Attrs         map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &info); err != nil {
		t.Fatal(err)
	}
	if info.Lo[0] != -1 || info.Hi[1] != 7 || info.Chunk[0] != 2 || info.Order != "hilbert" || info.Fill != -7 || info.Align != 512 ||
		info.Dims[1] != "x" || string(info.Attrs["units"]) != `"mm"` || string(info.Attrs["n"]) != `[1,2]` {
		t.Errorf("the array is %s", text)
	}
	if err := Close(h); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{`{"lo": [1]}`, `[]`, `{"cache": 1.5}`, `{"checking": "seldom"}`, `{"goroutines": -1}`, "{}{}", "{}x"} {
		if h, err := Open(name, ModeRead, wrong); !errors.Is(err, ErrInvalid) || h != 0 {
			t.Errorf("options %s: %v", wrong, err)
		}
	}
	for _, right := range []string{"", " \n", "{}", `{"commit": 1}`, `{"checking": "never", "durability": "full"}`} {
		r, err := Open(name, ModeRead, right)
		if err != nil {
			t.Errorf("options %s: %v", right, err)
		} else if err := Close(r); err != nil {
			t.Error(err)
		}
	}
}

// TestConcurrentCalls reads, writes and grows one array in many goroutines, while others open and
// close it.
func TestConcurrentCalls(t *testing.T) {
	h, name := create(t, []int{8, 8}, `{"chunk": [4, 4]}`)
	if err := Sync(h); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			box, wide := make([]int16, 8), make([]float64, 8)
			s := Section{Lo: []int64{int64(2 * g), 0}, Hi: []int64{int64(2*g) + 1, 8}}
			for i := range 100 {
				for j := range box {
					box[j] = int16(100*g + i)
				}
				if err := Write(h, 2, s, Buffer{DType: dtype.Int16, Data: unsafe.Pointer(&box[0]), Size: 16}); err != nil {
					t.Error(err)
				}
				b := Buffer{DType: dtype.Float64, Data: unsafe.Pointer(&wide[7]), Size: 64, Strides: []int64{0, -8}}
				if err := Read(h, 2, s, b); err != nil || wide[0] != float64(100*g+i) || wide[7] != wide[0] {
					t.Errorf("read %v: %v", wide, err)
				}
				if i%10 == 0 {
					if err := Extend(h, 0, 1, 0, 0, nil, nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
		wg.Go(func() {
			for range 20 {
				r, err := Open(name, ModeRead, "")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := Refresh(r); err != nil {
					t.Error(err)
				}
				if err := errors.Join(Close(r)); err != nil {
					t.Error(err)
				}
				if err := Close(r); !errors.Is(err, drx.ErrClosed) {
					t.Errorf("closed twice: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

// TestCloseOnce closes one array in many goroutines: exactly one of them does.
func TestCloseOnce(t *testing.T) {
	h, _ := create(t, []int{1}, "")
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range 8 {
		wg.Go(func() {
			if err := Close(h); err == nil {
				mu.Lock()
				done++
				mu.Unlock()
			} else if CodeOf(err) != CodeClosed {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if done != 1 {
		t.Errorf("%d of 8 closed the array", done)
	}
}
