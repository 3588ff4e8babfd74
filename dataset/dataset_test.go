package dataset

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"testing"

	"drx"
	"drx/dtype"
	"drx/internal/codectest"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// testCodec is the codec of the variables that tests create.
var testCodec string

// useCodec sets the codec of variables until the test ends.
func useCodec(t *testing.T, codec string) {
	was := testCodec
	testCodec = codec
	t.Cleanup(func() { testCodec = was })
}

// inBothForms runs a test with a dataset in a folder, and with one in a file with several arrays.
// The name of the test determines the codec of its variables.
func inBothForms(t *testing.T, test func(t *testing.T, ds string)) {
	for _, ds := range []string{"ds", "ds" + fileExt} {
		t.Run(ds, func(t *testing.T) {
			useCodec(t, codectest.Of(t.Name()))
			test(t, ds)
		})
	}
}

// A dataset must grow as a whole, on both sides, and readers must see it after Sync.
func TestGrowth(t *testing.T) { inBothForms(t, testGrowth) }

func testGrowth(t *testing.T, name string) {
	t.Chdir(t.TempDir())
	d, err := Create(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, "time", []int{0}, "time")
	create(t, d, "rain", []int{0, 3}, "time", "x")
	create(t, d, "x", nil, "x")
	if err := d.CreateGroup("model"); err != nil {
		t.Fatal(err)
	}
	create(t, d, "model/rain", nil, "time", "x")
	r, err := Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Extend("time", 2); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ExtendLow("x", 1); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Refresh(), wantDims(r, nd.Span(0, 0), nd.Span(0, 3))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Sync(), r.Refresh(), wantDims(r, nd.Span(0, 2), nd.Span(-1, 3))); err != nil {
		t.Fatal(err)
	}
	want := []string{"model/rain", "rain", "time", "x"}
	if got := r.Variables(); !reflect.DeepEqual(got, want) {
		t.Errorf("variables %q, want %q", got, want)
	}
	if _, err := Create(name, drx.Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created twice: %v", err)
	}
	if _, err := Open(name, drx.Options{Write: true}); !errors.Is(err, drx.ErrLocked) {
		t.Errorf("two writers: %v", err)
	}
	if err := errors.Join(d.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
}

// crashesOf counts the operations at which a test with a dataset crashes. A file with several
// arrays needs several times as many operations, each of which takes longer to reach, so the test
// tries only some of them.
func crashesOf(t *testing.T, ds string) *enumtest.Counter {
	t.Helper()
	if ds == "ds"+fileExt {
		return enumtest.Sampled(t, soak).Every(13)
	}
	return enumtest.Sampled(t, soak)
}

// eachCrash calls change on a disk that prepare has filled, and makes it crash at each operation in
// turn, until it ends without a crash. check then examines the disk as each policy leaves it; done
// reports that change had returned.
func eachCrash(t *testing.T, ds string, prepare, change func(ds string) error, check func(done bool) error) *enumtest.Counter {
	t.Helper()
	operations := crashesOf(t, ds)
	for k, done := 0, false; !done; k++ {
		if !operations.Try() {
			continue
		}
		disk := vfstest.NewCrash()
		useDisk(t, disk)
		if err := prepare(ds); err != nil {
			t.Fatal(err)
		}
		disk.CrashAfter(k)
		err := change(ds)
		if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatalf("operation %d: %v", k, err)
		}
		done = err == nil
		for name, policy := range vfstest.Policies(1, uint64(k)) {
			vfs.OS = disk.After(policy)
			if err := check(done); err != nil {
				t.Fatalf("operation %d, policy %s: %v", k, name, err)
			}
		}
	}
	return operations
}

func create(t *testing.T, d *Dataset, name string, shape []int, dims ...string) *Variable {
	t.Helper()
	v, err := d.CreateVariable(name, intSpec(shape, dims...))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func wantDims(d *Dataset, time, x nd.Range) error {
	var got []nd.Range
	for _, dim := range d.Dims() {
		got = append(got, dim.Bounds)
	}
	if want := []nd.Range{time, x}; !reflect.DeepEqual(got, want) {
		return errors.New(nd.Section(got).String() + ", want " + nd.Section(want).String())
	}
	return nil
}

// intSpec describes a variable of int32 in small chunks.
func intSpec(shape []int, dims ...string) drx.Spec {
	chunk := make([]int, len(dims))
	for d := range chunk {
		chunk[d] = 4
	}
	return drx.Spec{DType: dtype.Int32, Shape: shape, ChunkShape: chunk, Dims: dims, Codec: testCodec}
}

// soak reports that tests are to try all states, as make soak does.
var soak = os.Getenv("DRX_SOAK") != ""
