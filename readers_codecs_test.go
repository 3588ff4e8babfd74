package drx

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// goldenCodecs are the codecs of the arrays in testdata/codecs, by their names.
var goldenCodecs = map[string]string{
	"zstd": "zstd:3", "lz4": "lz4", "blosc_lz4": "blosc:lz4:5:shuffle", "blosc_zstd": "blosc:zstd:5:bitshuffle",
}

// goldenEdge is the extent of a chunk of the arrays in testdata/codecs, which have 2 x 2 of them.
const goldenEdge = 24

// goldenElements returns the elements of an array in testdata/codecs: two chunks that codecs
// shorten, one of noise, which is stored as it is, and one that was never written.
func goldenElements() func(index []int) int16 {
	noise := make([]int16, goldenEdge*goldenEdge)
	rng := rand.New(rand.NewPCG(1, 39))
	for i := range noise {
		noise[i] = int16(rng.Uint32())
	}
	return func(index []int) int16 {
		switch y, x := index[0], index[1]; {
		case y < goldenEdge:
			return int16(y*y + x/3)
		case x < goldenEdge:
			return noise[(y-goldenEdge)*goldenEdge+x]
		}
		return -9
	}
}

// makeGoldenCodec creates an array in testdata/codecs again.
func makeGoldenCodec(name, codec string) error {
	a, err := Create(filepath.Join("testdata", "codecs", name), Spec{
		DType: dtype.Int16, Shape: []int{2 * goldenEdge, 2 * goldenEdge}, ChunkShape: []int{goldenEdge, goldenEdge}, FillValue: -9, Codec: codec,
	})
	if err != nil {
		return err
	}
	of := goldenElements()
	for _, sec := range []nd.Section{
		nd.Sec(nd.Span(0, goldenEdge), nd.Span(0, 2*goldenEdge)), nd.Sec(nd.Span(goldenEdge, 2*goldenEdge), nd.Span(0, goldenEdge)),
	} {
		var values []int16
		each(sec, nil, func(index []int) { values = append(values, of(index)) })
		if err := Write(a, sec, values); err != nil {
			return errors.Join(err, a.Discard())
		}
	}
	return a.Close()
}

// Compressed arrays that an earlier version has stored are read and changed, whatever frames the
// present encoders write. -update makes missing ones.
func TestGoldenCodecs(t *testing.T) {
	for name, codec := range goldenCodecs {
		if exists, err := Exists(filepath.Join("testdata", "codecs", name)); *updateOps && !exists {
			if err = errors.Join(err, makeGoldenCodec(name, codec)); err != nil {
				t.Fatal(err)
			}
		}
		file, want := stored(t, "codecs", name), goldenElements()
		for _, changed := range []bool{false, true} {
			a, err := Open(file, Options{Write: true})
			if err != nil {
				t.Fatal(err)
			}
			wantElements(t, a, func(index []int) int16 {
				if changed && index[0] == index[1] {
					return 7
				}
				return want(index)
			})
			r, err := a.Verify(t.Context(), nil)
			if u, usageErr := a.Usage(); err != nil || usageErr != nil || !r.Good() || a.Layout().Codec != codec ||
				!changed && (u.WrittenBytes != 3*2*goldenEdge*goldenEdge || u.StoredBytes > u.WrittenBytes*4/5) {
				t.Errorf("%s: codec %s, %+v, %+v, %v", name, a.Layout().Codec, u, r, errors.Join(err, usageErr))
			}
			for i := range 2 * goldenEdge {
				if err := Set(a, int16(7), i, i); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A reader keeps decompressed chunks, within its cache, until Refresh: then it reads those of the
// last commit. Before that it reads each chunk as a whole, as of one of the commits.
func TestReaderKeepsDecodedChunks(t *testing.T) {
	const chunks, chunk, commits = 16, 4096, 4
	for _, c := range testedCodecs {
		for _, cache := range []int64{1, 5 * chunk * 4} { // one chunk, some of them
			name := filepath.Join(t.TempDir(), "a.drx")
			a, err := Create(name, Spec{DType: dtype.Int32, Shape: []int{chunks, chunk}, ChunkShape: []int{1, chunk}, Codec: c})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Open(name, Options{Cache: cache})
			if err != nil {
				t.Fatal(err)
			}
			for commit := int32(1); commit <= commits; commit++ {
				if err := errors.Join(Fill(a, nil, commit), a.Sync()); err != nil {
					t.Fatal(err)
				}
				for _, refreshed := range []bool{false, true} {
					if refreshed {
						if _, err := r.Refresh(); err != nil {
							t.Fatal(err)
						}
					}
					wantCommit(t, r, commit, refreshed)
				}
				if held := int64(len(r.pool.Held())); held > max(1, cache/(chunk*4)) {
					t.Errorf("%s: %d chunks are in a cache of %d bytes", c, held, cache)
				}
			}
			if err := errors.Join(a.Close(), r.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// wantCommit checks that every row of an array is complete, and of the given commit if the array is
// refreshed, otherwise of that one or the one before.
func wantCommit(t *testing.T, r *Array, commit int32, refreshed bool) {
	t.Helper()
	for row := range r.Shape()[0] {
		end := r.Shape()[1]
		for _, sec := range []nd.Section{nd.Sec(nd.At(row), nd.Span(5, 9)), nd.Sec(nd.At(row), nd.Span(1, end)), nd.Sec(nd.At(row), nd.All)} {
			got, err := Read[int32](r, sec)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range got {
				if v != got[0] || v != commit && (refreshed || v != commit-1) {
					t.Fatalf("commit %d, refreshed %v: %v holds %d", commit, refreshed, sec, v)
				}
			}
		}
	}
}
