//go:build matio && cgo

package mat

import (
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// A writer writes a variable.
type writer struct {
	varDef
	target *target
	out    *os.File // the target, or the file in which the variable waits
	base   int64    // where the variable begins in it
	level  int      // of compression
}

// begin writes the head of the variable, and the tag of the imaginary parts.
func (w *writer) begin() error {
	if _, err := w.out.WriteAt(w.head, w.base); err != nil {
		return err
	}
	if w.imag > 0 { // it is that of the real parts
		if _, err := w.out.WriteAt(w.head[len(w.head)-tagSize:], w.base+w.imag-tagSize); err != nil {
			return err
		}
	}
	info, err := w.out.Stat()
	if err != nil {
		return err
	}
	return w.out.Truncate(max(info.Size(), w.base+w.size)) // what pads the elements is zero
}

// Write implements cformat.Sink.
func (w *writer) Write(sec nd.Section, buf []byte) error {
	data := columns(buf, sec.Shape(), w.info.Order, w.info.DType.Size())
	if w.text != nil {
		return w.writeTexts(sec, data)
	}
	return w.writeRuns(sec, data)
}

// writeRuns writes numbers.
func (w *writer) writeRuns(sec nd.Section, data []byte) error {
	size, part := w.info.DType.Size(), w.part.Size()
	return formats.Runs(w.info.Shape, nd.ColMajor(len(w.info.Shape)), sec, func(first, at, n int) error {
		offset := w.base + int64(first)*int64(part)
		if w.imag == 0 {
			_, err := w.out.WriteAt(data[at*size:(at+n)*size], offset+w.real)
			return err
		}
		for from := 0; from < n; from += pieceElements {
			to := min(n, from+pieceElements)
			for half, start := range []int64{w.real, w.imag} {
				piece := make([]byte, 0, (to-from)*part)
				for i := at + from; i < at+to; i++ {
					piece = append(piece, data[i*size+half*part:i*size+(half+1)*part]...)
				}
				if _, err := w.out.WriteAt(piece, offset+start+int64(from*part)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeTexts writes the characters of labels, blanks after the shorter ones.
func (w *writer) writeTexts(sec nd.Section, data []byte) error {
	shape := w.info.Shape
	if len(shape) == 0 {
		shape, sec = []int{1}, nd.Sec(nd.Span(0, 1))
	}
	column := sec[0].Len()
	return formats.Runs(shape, nd.ColMajor(len(shape)), sec, func(first, at, n int) error {
		// Whole columns follow each other.
		for end := at + n; at < end; first, at = first+column, at+column {
			if err := w.writeColumn(first, shape[0], data, at, column); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeColumn writes n labels, from number at of data on, which are in one column of the array of
// that many rows. The first is element number first of the array.
func (w *writer) writeColumn(first, rows int, data []byte, at, n int) error {
	texts := make([][]uint16, n)
	for i := range texts {
		label, err := w.info.Label(data, at+i)
		if err != nil {
			return err
		}
		texts[i] = w.text[label]
	}
	column := make([]byte, 2*n)
	for k := range w.width {
		for i, text := range texts {
			unit := uint16(' ')
			if k < len(text) {
				unit = text[k]
			}
			binary.LittleEndian.PutUint16(column[2*i:], unit)
		}
		offset := first%rows + rows*(k+w.width*(first/rows))
		if _, err := w.out.WriteAt(column, w.base+w.real+2*int64(offset)); err != nil {
			return err
		}
	}
	return nil
}

// Finish implements cformat.Sink.
func (w *writer) Finish(complete bool) error {
	var err error
	if complete && w.level > 0 {
		err = w.compress()
	}
	return errors.Join(err, w.discard())
}

// discard closes the temporary file of the variable, if it has one.
func (w *writer) discard() error {
	if w.out == w.target.file {
		return nil
	}
	return w.out.Close()
}

// compress appends the variable to the target.
func (w *writer) compress() error {
	t := w.target
	out := io.NewOffsetWriter(t.file, t.end+tagSize)
	z, err := zlib.NewWriterLevel(out, w.level)
	if err != nil {
		return err
	}
	_, err = io.Copy(z, io.NewSectionReader(w.out, 0, w.size))
	if err = errors.Join(err, z.Close()); err != nil {
		return err
	}
	n, err := out.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if n > math.MaxUint32 {
		return errkind.Errorf(formats.ErrSize, "%d bytes compressed: a variable of a MAT file has at most %d", n, uint32(math.MaxUint32))
	}
	tag := binary.LittleEndian.AppendUint32(nil, miCOMPRESSED)
	if _, err := t.file.WriteAt(binary.LittleEndian.AppendUint32(tag, uint32(n)), t.end); err != nil {
		return err
	}
	t.end += tagSize + n
	return nil
}
