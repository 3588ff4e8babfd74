//go:build matio && cgo

package mat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"drx/formats"
	"drx/formats/cformat"
)

// A target is a file that is being written.
type target struct {
	file *os.File
	end  int64 // where the next compressed variable begins
}

// create implements formats.Format.CreatePath.
func create(path string, c formats.Content) ([]formats.Writer, error) {
	vars, err := define(c)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	t := &target{file: f}
	outputs, err := t.content(vars, c.Deflate)
	if err == nil {
		return cformat.Writers(enter, f, outputs), nil
	}
	for _, o := range outputs {
		err = errors.Join(err, o.To.Finish(false))
	}
	return nil, errors.Join(err, f.Close(), os.Remove(path))
}

// content writes the header of the file and all parts of the variables except elements, and returns
// the outputs of the variables.
func (t *target) content(vars []varDef, level int) (outputs []cformat.Output, err error) {
	if _, err := t.file.WriteAt(header(), 0); err != nil {
		return nil, err
	}
	t.end = headerSize
	for _, v := range vars {
		w := &writer{varDef: v, target: t, out: t.file, base: t.end, level: level}
		if level > 0 {
			if w.out, err = waiting(t.file.Name()); err != nil {
				return outputs, fmt.Errorf("%s: %w", v.info.Name, err)
			}
			w.base = 0
		} else {
			t.end += v.size
		}
		outputs = append(outputs, cformat.Output{Info: v.info, Path: v.info.Name, To: w})
		if err := w.begin(); err != nil {
			return outputs, fmt.Errorf("%s: %w", v.info.Name, err)
		}
	}
	return outputs, nil
}

// waiting returns a file beside the target, without a name, for a variable until it is compressed.
func waiting(path string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".drx-mat-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// header returns the first bytes of a file: a text, the version and the byte order. It has no date,
// so that equal content makes equal files.
func header() []byte {
	b := fmt.Appendf(nil, "%-124s", head5+"-file, written by DRX")
	copy(b[116:], make([]byte, 8)) // no data of subsystems
	b = binary.LittleEndian.AppendUint16(b, 0x0100)
	return append(b, "IM"...)
}
