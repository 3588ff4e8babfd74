//go:build fits && cgo

package fits

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drx/formats"
	"drx/formats/bridgetest"
)

// A damaged byte of a plain file must give an error or another value, and never end the program.
// Compressed tiles are decoded by the library, which may crash. The test counts such crashes; they
// are the reason why drx reads these files in another process.
func TestDamagedFiles(t *testing.T) {
	for _, name := range []string{"types.fits", "cards.fits", "scaled.fits", "groups.fits", "tiled.fits"} {
		crashes := bridge.Damaged(t, filepath.Join(bridge.Files(t), name), bridgetest.Damage{Step: 487, Flip: 0x15, Limit: 20 * time.Second})
		if len(crashes) > 0 && name != "tiled.fits" || len(crashes) > 20 {
			t.Errorf("%s: %d damaged bytes end the program", name, len(crashes))
		}
	}
}

// A truncated file, or a file of another kind, must give an error in one line that names it.
func TestCutFiles(t *testing.T) {
	bridgetest.Cut(t, filepath.Join(bridge.Files(t), "scaled.fits"), []int{0, 5, 20, 700, 2880, 2880 + 47}, func(path string, size int) {
		_, err := formats.Open(path, formats.Options{Format: "fits"})
		if !bridgetest.Names(err, path) || size >= 2880 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", size, err)
		}
	})
}

// A file whose header promises more data than there is must be refused before memory is allocated
// for it.
func TestHostile(t *testing.T) {
	header := func(cards ...string) []byte {
		var b strings.Builder
		for _, c := range append(cards, "END") {
			fmt.Fprintf(&b, "%-80s", c)
		}
		return []byte(fmt.Sprintf("%-*s", (b.Len()+2879)/2880*2880, b.String()))
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 32<<20))
	_ = z.Close()
	for _, c := range []struct {
		name string
		data []byte
		text string
		is   error
	}{
		{"huge.fits", header("SIMPLE  =                    T", "BITPIX  =                  -64", "NAXIS   =                    2", "NAXIS1  =           3000000000", "NAXIS2  =           3000000000"), "", nil},
		{"long.fits", header("SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    1", "NAXIS1  =           3000000000"), "its elements end at", io.ErrUnexpectedEOF},
		{"negative.fits", header("SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    1", "NAXIS1  =                   -5"), "", nil},
		{"bitpix.fits", header("SIMPLE  =                    T", "BITPIX  =                   12", "NAXIS   =                    0"), "", nil},
		{"bomb.fits.gz", bomb.Bytes(), "half of the limit", formats.ErrMemory},
		{"zip.fits", []byte("PK\x03\x04aaaaaaaaaaaaaaaa"), "starts with", formats.ErrFormat},
	} {
		bridgetest.NotOpened(t, bridgetest.File(t, c.name, c.data), formats.Options{Format: "fits", Memory: 1 << 20}, c.text, c.is)
	}
}

// A tile that exceeds the memory must be refused.
func TestTooLittleMemory(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "tiled.fits")
	bridgetest.NotOpened(t, path, formats.Options{Variable: "GZIP_2_8", Memory: 100}, "", formats.ErrMemory)
	bridgetest.NotOpened(t, path, formats.Options{Variable: "nothing"}, "RICE_1_1", formats.ErrVariable)
}
