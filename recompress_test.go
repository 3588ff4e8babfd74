package drx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"testing"

	"drx/dtype"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// Every codec is changed to every other one, in each form of an array, while readers are open that
// were not notified.
func TestRecompress(t *testing.T) {
	codecs := append([]string{"none", "zstd:9", "blosc:lz4:1:noshuffle"}, realCodecs...)
	for i, from := range codecs {
		for j, to := range codecs {
			name := formOf(t.TempDir()+"/a", uint64(i+j))
			a, want := compressedSquare(t, name, from)
			r, err := Open(name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			calls, total := int64(0), int64(0)
			if err := a.Recompress(context.Background(), to, func(done, all int64) { calls, total = max(calls, done), all }); err != nil {
				t.Fatalf("%s to %s: %v", from, to, err)
			}
			if wanted := int64(16); from != to && (calls != wanted || total != wanted) {
				t.Errorf("%s to %s: %d of %d chunks", from, to, calls, total)
			}
			wantRecompressed(t, a, to, want)
			if got, err := Read[int32](r, nil); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s to %s: a reader of before has other elements, %v", from, to, err)
			}
			if v, err := At[int32](r, 150, 3); err != nil || v != want[150*200+3] {
				t.Errorf("%s to %s: a reader of before has %d, %v", from, to, v, err)
			}
			if _, err := r.Refresh(); err != nil || r.Layout().Codec != a.Layout().Codec {
				t.Errorf("%s to %s: refreshed it is %s, %v", from, to, r.Layout().Codec, err)
			}
			old, err := OpenAt(name, 2, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Read[int32](old, nil); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s to %s: as of the commit before: %v", from, to, err)
			}
			if err := errors.Join(Set(a, want[5], 0, 5), a.Compact(context.Background(), nil)); err != nil {
				t.Fatal(err)
			}
			wantRecompressed(t, a, to, want)
			if err := errors.Join(old.Close(), r.Close(), a.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// wantRecompressed checks the elements of an array, and that its chunks are compressed by a codec.
func wantRecompressed(t *testing.T, a *Array, codec string, want []int32) {
	t.Helper()
	got, err := Read[int32](a, nil)
	if err != nil || !slices.Equal(got, want) || a.Layout().Codec != codec || a.Recompressing() {
		t.Fatalf("%s: other elements, or it is %s, %v, %v", codec, a.Layout().Codec, a.Recompressing(), err)
	}
	u, err := a.Usage()
	if small := u.StoredBytes < u.WrittenBytes*3/4; err != nil || small != (codec != "none") || u.DataBytes > u.StoredBytes+u.Written*3*4096 {
		t.Errorf("%s: %+v, %v", codec, u, err)
	}
	if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() {
		t.Errorf("%s: %+v, %v", codec, r, err)
	}
}

// An interrupted Recompress leaves a mixture of codecs that can be read, changed, copied and
// compacted. The next Recompress continues, with the same or another codec.
func TestRecompressInterrupted(t *testing.T) {
	steps := []struct {
		to   string
		stop int64 // after so many chunks, 0 for not at all
	}{{"lz4", 5}, {"blosc:zstd:3:bitshuffle", 9}, {"none", 4}, {"zstd:3", 7}, {"zstd:3", 12}, {"zstd:3", 0}}
	name := t.TempDir() + "/a.drx"
	a, want := compressedSquare(t, name, "zstd:3")
	for i, s := range steps {
		ctx, cancel := context.WithCancel(context.Background())
		err := a.Recompress(ctx, s.to, func(done, total int64) {
			if done == s.stop {
				cancel()
			}
		})
		cancel()
		if stopped := s.stop > 0; errors.Is(err, context.Canceled) != stopped || a.Recompressing() != stopped {
			t.Fatalf("step %d: %v, under way %v", i, err, a.Recompressing())
		}
		if got, err := Read[int32](a, nil); err != nil || !slices.Equal(got, want) || a.Layout().Codec != s.to {
			t.Fatalf("step %d: other elements, or it is %s, %v", i, a.Layout().Codec, err)
		}
		want[i*7000] ^= 1
		if err := errors.Join(Set(a, want[i*7000], i*7000/200, i*7000%200), a.Close()); err != nil {
			t.Fatal(err)
		}
		if s.stop == 4 { // a mixture with chunks that are not compressed
			if a, err = Open(name, Options{Write: true}); err == nil {
				err = errors.Join(a.Compact(context.Background(), nil), a.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if a, err = Open(name, Options{Write: true}); err != nil {
			t.Fatal(err)
		}
	}
	wantRecompressed(t, a, "zstd:3", want)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// The history has the beginning and the end of each recompression, with the codec.
func TestRecompressHistory(t *testing.T) {
	a, _ := compressedSquare(t, t.TempDir()+"/a", "none")
	ctx, cancel := context.WithCancel(context.Background())
	err := a.Recompress(ctx, "zstd:3", func(done, _ int64) {
		if done == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := a.Recompress(context.Background(), "lz4", nil); err != nil {
		t.Fatal(err)
	}
	changes, err := a.History()
	var got []string
	for i, c := range changes {
		if i > 0 && c.Commit <= changes[i-1].Commit || !slices.Equal(c.Bounds, a.Bounds()) {
			t.Errorf("%+v after %+v", c, changes[max(0, i-1)])
		}
		got = append(got, string(c.Kind)+" "+c.Codec)
	}
	want := []string{"create ", "recompress zstd:3", "recompress lz4", "recompressed lz4"}
	if err := errors.Join(err, a.Close()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// Requests that cannot be fulfilled are refused, and change nothing.
func TestRecompressRefuses(t *testing.T) {
	name := t.TempDir() + "/a"
	a, _ := compressedSquare(t, name, "zstd:3")
	if err := a.Recompress(context.Background(), "gzip", nil); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("no codec: %v", err)
	}
	r, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Recompress(context.Background(), "lz4", nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a reader: %v", err)
	}
	commits := a.log.Commits()
	if err := a.Recompress(context.Background(), "zstd:3", nil); err != nil || a.log.Commits() != commits {
		t.Errorf("the codec that it has: %v", err)
	}
	if err := errors.Join(r.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if err := a.Recompress(context.Background(), "lz4", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed array: %v", err)
	}
}

// Readers in other Arrays read the right elements during a Recompress: the whole array, rows and
// single elements.
func TestReadersBesideRecompress(t *testing.T) {
	for form := range uint64(2) {
		name := formOf(t.TempDir()+"/a", form)
		a, want := compressedSquare(t, name, "none")
		stop := make(chan struct{})
		var wait sync.WaitGroup
		for n := range 3 {
			wait.Go(func() {
				r, err := Open(name, Options{})
				for i := n; err == nil; i++ {
					select {
					case <-stop:
						err = r.Close()
						if err != nil {
							t.Error(err)
						}
						return
					default:
					}
					err = readSquare(r, want, i)
					if n == 0 && err == nil {
						_, err = r.Refresh()
					}
				}
				t.Errorf("a reader: %v", err)
			})
		}
		for i, to := range []string{"lz4", "zstd:3", "none", "blosc:lz4:5:shuffle", "lz4", "none"} {
			if err := a.Recompress(context.Background(), to, nil); err != nil {
				t.Errorf("step %d: %v", i, err)
			}
		}
		close(stop)
		wait.Wait()
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// readSquare reads an array of 200 x 200 elements in one of three ways.
func readSquare(r *Array, want []int32, i int) error {
	row := i * 31 % 200
	switch i % 3 {
	case 0:
		if got, err := Read[int32](r, nil); err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("other elements, %w", err)
		}
	case 1:
		if got, err := Read[int32](r, nd.Sec(nd.At(row), nd.Span(0, 200))); err != nil || !slices.Equal(got, want[row*200:row*200+200]) {
			return fmt.Errorf("row %d: %w", row, err)
		}
	default:
		if v, err := At[int32](r, row, row); err != nil || v != want[row*201] {
			return fmt.Errorf("element %d: %d, %w", row, v, err)
		}
	}
	return nil
}

// A Recompress that crashes at any operation leaves the elements, and the next one completes it.
func TestRecompressCrash(t *testing.T) {
	want := smooth(64 * 64 * 3)
	for form := range uint64(2) {
		name := formOf("a", form)
		for k := 0; ; k++ {
			if !soak && k > 12 && k%5 != int(form) {
				continue
			}
			disk := vfstest.NewCrash()
			if err := makeCrashed(disk, name, want); err != nil {
				t.Fatal(err)
			}
			disk.CrashAfter(k)
			ended := recompressOn(disk, name, "lz4") == nil
			policies := vfstest.Policies(1, uint64(k))
			for _, policy := range slices.Sorted(maps.Keys(policies)) {
				after := disk.After(policies[policy])
				if err := checkCrashed(after, name, want); err != nil {
					t.Fatalf("%s: crash at %d, %s: %v", name, k, policy, err)
				}
			}
			if ended {
				break
			}
		}
	}
}

func makeCrashed(disk vfs.FS, name string, want []int32) error {
	a, err := Create(name, Spec{
		DType: dtype.Int32, Shape: []int{64 * 3, 64}, ChunkShape: []int{64, 64}, Codec: "zstd:3", Options: Options{fs: disk},
	})
	if err != nil {
		return err
	}
	return errors.Join(Write(a, nil, want), a.Close())
}

func recompressOn(disk vfs.FS, name, codec string) error {
	a, err := Open(name, Options{Write: true, fs: disk})
	if err != nil {
		return err
	}
	if err := a.Recompress(context.Background(), codec, nil); err != nil {
		_ = a.Discard()
		return err
	}
	return a.Close()
}

// checkCrashed reads the elements, completes the Recompress and reads them again.
func checkCrashed(disk vfs.FS, name string, want []int32) error {
	for range 2 {
		a, err := Open(name, Options{fs: disk})
		if err != nil {
			return err
		}
		got, err := Read[int32](a, nil)
		if err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("other elements, %w", err)
		}
		if err := errors.Join(a.Close(), recompressOn(disk, name, "lz4")); err != nil {
			return err
		}
	}
	a, err := Open(name, Options{fs: disk})
	if err != nil {
		return err
	}
	defer a.Close()
	if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() || a.Recompressing() || a.Layout().Codec != "lz4" {
		return fmt.Errorf("%+v, %v, %s, %w", r, a.Recompressing(), a.Layout().Codec, err)
	}
	return nil
}

// Impossible records of recompressions are damage.
func TestImpossibleRecompression(t *testing.T) {
	a, _ := compressedSquare(t, t.TempDir()+"/a", "zstd:3")
	defer a.Close()
	for _, r := range []state.Record{
		{Recompress: &state.Recompress{Codec: "lz4"}},
		{Recompress: &state.Recompress{Codec: "lz4:1", After: 1}},
		{Recompress: &state.Recompress{Codec: "zstd", After: 1}},
		{Recompressed: &state.Recompressed{Codec: "zstd:3"}},
	} {
		if _, err := a.state.Load().Apply(r); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
