package drx

import (
	"errors"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// An outage is a disk on which writes to the principal array fail for a while.
type outage struct {
	before, during int // writes that succeed, and writes that fail after these
}

var errAway = errors.New("the disk is away")

func (o *outage) fail(op vfs.Op, name string) error {
	switch {
	case op != vfs.OpWrite || name != "a"+dataExt:
	case o.before > 0:
		o.before--
	case o.during > 0:
		o.during--
		return errAway
	}
	return nil
}

// A write of a few elements that fails during an outage, and is repeated, does not damage earlier writes:
// neither to chunks of a commit nor to new ones.
func TestWritesAcrossAnOutage(t *testing.T) { inBothForms(t, testWritesAcrossAnOutage) }

func testWritesAcrossAnOutage(t *testing.T) {
	for _, rows := range []int{256, 0} {
		for before := range 3 {
			for during := range 6 {
				var o outage
				a := mustCreateAt(t, named(t, "a"), Spec{
					DType: dtype.Float64, Shape: []int{rows, 512}, ChunkShape: []int{256, 32},
					Options: Options{fs: vfs.Faulty{FS: vfs.NewMem(), Fail: o.fail}, Cache: 4 * (64<<10 + 256)},
				})
				if rows == 0 {
					if _, err := a.Extend(0, 256); err != nil {
						t.Fatal(err)
					}
				}
				first, second := nd.Sec(nd.At(10), nd.All), nd.Sec(nd.Span(20, 23), nd.Span(496, 500))
				if err := Write(a, first, sequence[float64](nd.Sec(nd.Span(0, 512)))); err != nil {
					t.Fatal(err)
				}
				o = outage{before, during}
				data := sequence[float64](second)
				if err := Write(a, second, data); err != nil && !errors.Is(err, errAway) { // three lines of one chunk
					t.Fatal(err)
				}
				wantAfterOutage(t, a, &o, first, second, data)
			}
		}
	}
}

// wantAfterOutage repeats writes that may have failed, at first possibly still during the outage, and checks
// both sections.
func wantAfterOutage(t *testing.T, a *Array, o *outage, first, second nd.Section, data []float64) {
	t.Helper()
	if err := a.Sync(); err != nil && !errors.Is(err, errAway) {
		t.Fatal(err)
	}
	o.during = 0
	if err := errors.Join(Write(a, second, data), a.Sync()); err != nil {
		t.Fatal(err)
	}
	if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
		t.Errorf("damaged: %+v, %v", r, err)
	}
	wantSection(t, a, second, data)
	wantSection(t, a, first, sequence[float64](nd.Sec(nd.Span(0, 512))))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// wantSection checks the elements of a section.
func wantSection[T dtype.Element](t *testing.T, a *Array, sec nd.Section, want []T) {
	t.Helper()
	got, err := Read[T](a, sec)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d elements of %v, want %d, %v", len(got), sec, len(want), err)
	}
	for i, v := range got {
		if v != want[i] {
			t.Fatalf("element %d of %v is %v, want %v", i, sec, v, want[i])
		}
	}
}
