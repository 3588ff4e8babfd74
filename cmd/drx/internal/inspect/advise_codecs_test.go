package inspect

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// waves creates an array of smooth numbers in chunks of n times.
func waves(t *testing.T, codec string, times, n int) *drx.Array {
	t.Helper()
	a, err := drx.Create(filepath.Join(t.TempDir(), "A"), drx.Spec{DType: dtype.Float32, Shape: []int{times, 15, 28}, ChunkShape: []int{n, 15, 28}, Codec: codec})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	elements := make([]float32, times*15*28)
	for i := range elements {
		elements[i] = float32(math.Round(2850+100*math.Sin(float64(i/420)/460)+40*math.Sin(float64(i)*0.3))) / 10
	}
	if err := errors.Join(drx.Write(a, nd.Section{nd.All, nd.All, nd.All}, elements), a.Sync()); err != nil {
		t.Fatal(err)
	}
	return a
}

// What the table says of a codec is what an array stores that has it, and what --codec auto
// chooses is advised.
func TestCodecTable(t *testing.T) {
	table, err := newCodecTable(waves(t, "blosc:lz4:9:shuffle", 640, 80), triedCodecs)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Trials) != len(triedCodecs)+1 || table.Present != "blosc:lz4:9:shuffle" || table.Tried != 640*15*28*4 || table.Larger != nil {
		t.Errorf("%+v", table)
	}
	var advised codecTrial
	least := int64(math.MaxInt64)
	for _, c := range table.Trials {
		u, err := waves(t, c.Codec, 640, 80).Usage()
		if err != nil || c.Stored != u.StoredBytes || c.Ratio != float64(table.Tried)/float64(u.StoredBytes) || c.OnDisk < c.Stored || c.OnDisk%4096 != 0 {
			t.Errorf("%+v: an array stores %d, %v", c, u.StoredBytes, err)
		}
		if !(c.Write > 0 && c.Read > 0) {
			t.Errorf("%+v: a speed is missing", c)
		}
		if least = min(least, c.OnDisk); c.Codec == table.Advised {
			advised = c
		}
	}
	if auto, err := waves(t, "none", 640, 80).ChooseCodec(); err != nil || auto.Codec != table.Advised || advised.Ratio < 1.5 {
		t.Errorf("%s is advised, auto is %s, %v", table.Advised, auto.Codec, err)
	}
	if own, err := newCodecTable(waves(t, "none", 640, 80), []string{"zstd:1"}); err != nil || len(own.Trials) != 3 || own.Trials[0].Codec != "zstd:1" {
		t.Errorf("%+v, %v: want zstd:1, what the array has and what is advised", own, err)
	}
}

// Chunks for few elements are too small for many, whatever the codec; those that are larger, and
// small arrays, stay as they are.
func TestLargerChunks(t *testing.T) {
	for _, c := range []struct {
		times, chunk int
		want         []int
	}{{600, 2, nil}, {3000, 2, []int{512, 15, 28}}, {3000, 38, []int{512, 15, 28}}, {3000, 40, nil}} {
		for _, codec := range []string{"none", "zstd:1"} {
			larger, err := largerChunksFor(waves(t, codec, c.times, c.chunk))
			if err != nil || (larger == nil) != (c.want == nil) || larger != nil && !slices.Equal(larger.Chunk, c.want) {
				t.Errorf("%+v, %s: %+v, %v", c, codec, larger, err)
			}
		}
	}
}

// Without written chunks there is nothing to try codecs on.
func TestCodecTableOfNothing(t *testing.T) {
	a, err := drx.Create(filepath.Join(t.TempDir(), "A"), drx.Spec{DType: dtype.Float32, Shape: []int{4}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := newCodecTable(a, triedCodecs); !errors.Is(err, errNoChunks) {
		t.Error(err)
	}
}
