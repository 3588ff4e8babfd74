package formats_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/npy"
	"drx/nd"
)

// ReadAll must read samples with elements of one byte as ReadSection does.
func TestReadAll(t *testing.T) {
	read := 0
	eachSample(t, func(t *testing.T, path string, info formats.Info, elements []byte) {
		v, err := formats.ReadAll[uint8](path)
		if info.DType != dtype.Uint8 {
			if !errors.Is(err, dtype.ErrDType) {
				t.Errorf("%v as uint8: %v", info.DType, err)
			}
			return
		}
		read++
		want, viewErr := nd.NewView(elements, info.Shape, info.Order)
		if err != nil || viewErr != nil || !slices.Equal(v.Data(), want.Data()) || !slices.Equal(v.Shape(), info.Shape) || !slices.Equal(v.Strides(), want.Strides()) {
			t.Errorf("shape %v, strides %v: %v, %v", v.Shape(), v.Strides(), err, viewErr)
		}
	})
	if read < 10 {
		t.Errorf("only %d samples have elements of one byte", read)
	}
}

func TestReadAllOrder(t *testing.T) {
	v, err := formats.ReadAll[uint8](write(t, "a.npy", fortran(t)))
	if err != nil || v.At(0, 1) != 3 || !slices.Equal(v.Data(), []uint8{1, 3, 5, 2, 4, 6}) {
		t.Errorf("column-major: %v, %v", v.Data(), err)
	}
	feed(t, fortran(t))
	if v, err := formats.ReadAll[uint8]("-"); err != nil || v.At(1, 2) != 6 {
		t.Errorf("standard input: %v, %v", v, err)
	}
}

func TestReadAllErrors(t *testing.T) {
	good := fortran(t)
	if _, err := formats.ReadAll[uint8](write(t, "cut.npy", good[:len(good)-1])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("truncated: %v", err)
	}
	if _, err := formats.ReadAll[uint8](filepath.Join(t.TempDir(), "none.npy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	var b bytes.Buffer
	if _, err := npy.NewWriter(&b, npy.Header{DType: dtype.Uint8, Shape: []int{1 << 60}}); err != nil {
		t.Fatal(err)
	}
	feed(t, b.Bytes()) // from a file, the missing bytes would be noticed earlier
	if _, err := formats.ReadAll[uint8]("-"); !errors.Is(err, formats.ErrMemory) {
		t.Errorf("2^60 elements: %v", err)
	}
}

// A .npy file becomes an array in memory.
func ExampleReadAll() {
	dir, err := os.MkdirTemp("", "convert")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "a.npy")
	file, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	w, err := formats.Create(file, "npy", formats.Info{DType: dtype.Int16, Shape: []int{2, 3}})
	if err != nil {
		log.Fatal(err)
	}
	var elements []byte
	for i := range uint16(6) {
		elements = binary.LittleEndian.AppendUint16(elements, i)
	}
	if err := errors.Join(w.WriteSection(nil, elements), w.Close()); err != nil {
		log.Fatal(err)
	}

	v, err := formats.ReadAll[int16](path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Shape(), v.At(1, 2), v.Data())
	// Output: [2 3] 5 [0 1 2 3 4 5]
}
