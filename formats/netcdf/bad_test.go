//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drx/formats"
	"drx/formats/bridgetest"
)

// contents returns files of both formats, to be damaged and truncated.
func contents(t *testing.T) map[string]formats.Content {
	t.Helper()
	return map[string]formats.Content{"netcdf": richContent(t), "netcdf3": classicContent(t)}
}

// A damaged byte must give an error or another value, and crash only if ncdump crashes as well. The
// files have no enumerations: for damaged ones libnetcdf uses uninitialised memory, in another way
// than in ncdump.
func TestDamagedFiles(t *testing.T) {
	for format, c := range contents(t) {
		path := filepath.Join(t.TempDir(), "a.nc")
		c.Deflate = 0
		c.Vars = slices.DeleteFunc(c.Vars, func(v formats.Info) bool { return v.Attrs["enum_type"] != nil })
		writeContent(t, path, format, c)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		d := bridgetest.Damage{Step: max(1, int(info.Size())/500), Flip: 0x55, Limit: time.Minute}
		for _, at := range bridge.Damaged(t, path, d) {
			if bridgetest.Survives(t, "ncdump", path, at, d.Flip) {
				t.Errorf("%s: with byte %d damaged this program crashes or hangs, and ncdump does not", format, at)
			}
		}
	}
}

// A truncated file must give an error in one line that names it: an error of the file, or of the
// variables whose elements are missing.
func TestCutFiles(t *testing.T) {
	for format, c := range contents(t) {
		whole := filepath.Join(t.TempDir(), "a.nc")
		writeContent(t, whole, format, c)
		bridgetest.Cut(t, whole, bridgetest.Eighths(t, whole), func(path string, size int) {
			content, err := formats.List(path, formats.Options{Format: "netcdf"})
			if err != nil {
				if !bridgetest.Names(err, path) || !strings.HasPrefix(err.Error(), path+": ") {
					t.Errorf("%d bytes of %s: %v", size, format, err)
				}
				return
			}
			missing := 0
			for _, v := range content.Vars {
				if strings.Contains(v.Refused, "but the file has") {
					missing++
					if !v.Damaged {
						t.Errorf("%s of %d bytes of %s is not damaged: %s", v.Name, size, format, v.Refused)
					}
					if _, err := formats.Open(path, formats.Options{Variable: v.Name}); !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Error(err)
					}
				}
			}
			if missing == 0 {
				t.Errorf("%d bytes of %s: all variables can be read", size, format)
			}
		})
	}
}

// FuzzHeader reads headers of any content: it must return, and the result must fit the file.
func FuzzHeader(f *testing.F) {
	f.Add([]byte("CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x00\x01x\x00\x00\x00\x00\x00\x00\x05" + strings.Repeat("\x00", 16)))
	f.Add([]byte("CDF\x02\x00\x00\x00\x00" + strings.Repeat("\x00", 24)))
	f.Add([]byte("CDF\x05" + strings.Repeat("\x00", 8) + "\x00\x00\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !isClassic(data) {
			return
		}
		h, err := readHeader(bytes.NewReader(data), int64(len(data)), 1<<16)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "header: ") {
				t.Error(err)
			}
			return
		}
		for i, begin := range h.begins {
			shape := []int{2, 3}
			if h.check(i, shape, 4, i%2 == 0) == nil && (begin < 0 || begin+24 > int64(len(data))) {
				t.Errorf("elements from byte %d on do not fit %d bytes", begin, len(data))
			}
		}
	})
}
