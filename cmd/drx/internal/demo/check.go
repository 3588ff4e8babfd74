package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"drx"
	"drx/cmd/drx/demodata"
	"drx/internal/fileset"
	"drx/nd"
)

// A fingerprint is the checksum of the first bytes of the .xta file.
type fingerprint struct {
	bytes int64
	sum   string
}

// String returns the first 12 digits.
func (f fingerprint) String() string { return f.sum[:12] }

// fingerprintAll returns the fingerprint of all chunks. They must have been committed.
func (t *tour) fingerprintAll() (fingerprint, error) {
	return t.fingerprintPrefix(int64(t.a.Grid().Chunks()) * t.a.Layout().SlotBytes)
}

// fingerprintPrefix returns the fingerprint of the first bytes of the .xta file.
func (t *tour) fingerprintPrefix(bytes int64) (fingerprint, error) {
	name := t.path(fileset.Data(TourArray))
	file, err := os.Open(name)
	if err != nil {
		return fingerprint{}, err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.CopyN(h, file, bytes); err != nil {
		return fingerprint{}, fmt.Errorf("%s: first %d bytes: %w", name, bytes, err)
	}
	return fingerprint{bytes, hex.EncodeToString(h.Sum(nil))}, nil
}

// checkUnmoved checks that the bytes stored before the array grew in space are unchanged, the point
// of the tour.
func (t *tour) checkUnmoved() error {
	now, err := t.fingerprintPrefix(t.before.bytes)
	if err != nil {
		return err
	}
	if now != t.before {
		return fmt.Errorf("the first %d bytes of %s have changed: sha256 %s, was %s", now.bytes, t.path(fileset.Data(TourArray)), now.sum, t.before.sum)
	}
	t.printf("first %s of %s: sha256 %s, not one byte moved", mebi(now.bytes), fileset.Data(TourArray), now)
	return nil
}

// The pixel whose rain the tour shows, in the window.
const wetY, wetX = 128, 128

func (t *tour) readBack(context.Context) error {
	t.next("Read across all of that: one pixel over time, and a column across the old northern edge.")
	t.show(fmt.Sprintf("read %%s --section :,%d,%d", wetY, wetX))
	series, err := drx.Read[uint16](t.a, nd.Sec(nd.All, nd.At(wetY), nd.At(wetX)))
	if err != nil {
		return err
	}
	t.printf("drawn as a line: %s %s %s, up to %.2f mm in 5 minutes", clock(0), sparkline(series), clock(len(series)-1), float64(maxOf(series))*demodata.Scale)
	t.show(fmt.Sprintf("read %%s --section 0,-5:5,%d", wetX))
	column, err := drx.Read[uint16](t.a, nd.Sec(nd.At(0), nd.Span(-5, 5), nd.At(wetX)))
	if err != nil {
		return err
	}
	t.printf("time = 0")
	t.printf("  y/x   %d", wetX)
	for i, v := range column {
		t.printf("%5d  %4.4g", i-5, float64(v)*demodata.Scale)
	}
	return nil
}

func maxOf(values []uint16) uint16 {
	var most uint16
	for _, v := range values {
		most = max(most, v)
	}
	return most
}

// sparkline draws values as bars; the largest value has the full height.
func sparkline(values []uint16) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	most := max(1, int(maxOf(values)))
	var b strings.Builder
	for _, v := range values {
		b.WriteRune(bars[int(v)*(len(bars)-1)/most])
	}
	return b.String()
}

// check compares every element with the images and every chunk with its checksum.
func (t *tour) check(ctx context.Context) error {
	t.next("Check everything.")
	t.show("verify %s")
	report, err := t.a.Verify(ctx, nil)
	if err != nil {
		return err
	}
	if !report.Good() {
		return fmt.Errorf("%s: damaged: %v", t.a.Name(), report)
	}
	t.printf("%s: %d of %d chunks written, all good", t.a.Name(), report.Written, report.Chunks)
	n := 0
	bounds := t.a.Bounds()
	for i := range t.images {
		bounds[0] = nd.At(i)
		got, err := drx.Read[uint16](t.a, bounds)
		if err != nil {
			return err
		}
		if err := t.compare(got, bounds); err != nil {
			return err
		}
		n += len(got)
	}
	if want := len(t.images) * demodata.Rows * demodata.Columns; n != want {
		return fmt.Errorf("%s holds %d elements, the pictures have %d", t.a.Name(), n, want)
	}
	t.printf("%d values, all equal to the radar pictures", n)
	return nil
}

// compare returns an error that names the first element that differs from the images.
func (t *tour) compare(got []uint16, sec nd.Section) error {
	shape := sec.Shape()
	for i, want := range t.images.cut(sec) {
		if got[i] != want {
			y, x := sec[1].Lo+i/shape[2]%shape[1], sec[2].Lo+i%shape[2]
			return fmt.Errorf("%s: element %d,%d,%d is %d, the radar picture has %d", t.a.Name(), sec[0].Lo, y, x, got[i], want)
		}
	}
	return nil
}

// mebi writes a number of bytes in MiB.
func mebi(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }
