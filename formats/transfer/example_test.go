package transfer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"drx"
	"drx/dtype"
	"drx/formats"
	"drx/formats/transfer"
)

// Two files become an array that grows along time, and the second half of the array becomes a Zarr
// store.
func Example() {
	dir, err := os.MkdirTemp("", "exchange")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for i := range 2 {
		makeNPY(filepath.Join(dir, fmt.Sprint("frame", i, ".npy")), []int{2, 3}, dtype.Bytes([]int16{int16(i), 1, 2, 3, 4, 5}))
	}
	ctx := context.Background()
	name := filepath.Join(dir, "frames")
	made, err := transfer.Import(ctx, name, transfer.ImportOptions{Append: "time", As: "float32"}, name[:len(name)-1]+"0.npy", name[:len(name)-1]+"1.npy")
	if err != nil {
		panic(err)
	}
	fmt.Println(made.Vars[0].DType, made.Vars[0].Dims[0], made.Vars[0].Shape, *made.By)

	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		panic(err)
	}
	values, err := drx.Read[float32](a, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(values)
	if err := a.Close(); err != nil {
		panic(err)
	}
	done, err := transfer.Export(ctx, name, filepath.Join(dir, "frames.zarr"), transfer.ExportOptions{Codec: "zstd", As: "int8"})
	if err != nil {
		panic(err)
	}
	fmt.Println(done.Format, done.Vars[0].DType, done.Vars[0].Shape)
	// Output:
	// float32 time [2 2 3] 2
	// [0 1 2 3 4 5 1 1 2 3 4 5]
	// zarr2 int8 [2 2 3]
}

// makeNPY writes elements as a .npy file.
func makeNPY(path string, shape []int, elements []byte) {
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	types := map[int]dtype.DType{1: dtype.Int8, 2: dtype.Int16, 4: dtype.Int32}
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	w, err := formats.Create(f, "npy", formats.Info{DType: types[len(elements)/n], Shape: shape})
	if err != nil {
		panic(err)
	}
	if err := w.WriteSection(nil, elements); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
}
