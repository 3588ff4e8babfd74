package pipe

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"drx/formats"
	"drx/formats/raster"
	"drx/nd"
)

// A reader reads a variable that a helper has open.
type reader struct {
	p      *process
	id     int
	info   formats.Info
	closed bool
}

// Info implements formats.Reader.
func (r *reader) Info() formats.Info { return r.info }

// ReadSection implements formats.Reader. The elements go from the pipe to buf, one box at a time.
func (r *reader) ReadSection(sec nd.Section, buf []byte) error {
	sec, err := r.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	size := r.info.DType.Size()
	for box := range r.info.Boxes(sec, boxBytes) {
		n, _ := box.Len() // of a section that was checked
		_, err := r.p.call(request{Op: opRead, ID: r.id, Section: pairs(box)}, n*size, nil, func(in io.Reader) error {
			return eachRun(r.info, sec, box, func(at, n int) error {
				_, err := io.ReadFull(in, buf[at:at+n])
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadFrame implements formats.FrameReader.
func (r *reader) ReadFrame(chunkIndex []int) (frame []byte, err error) {
	if r.info.Codec.IsNone() {
		return nil, nil
	}
	most, err := chunkBytes(r.info, chunkIndex)
	if err != nil {
		return nil, err
	}
	_, err = r.p.call(request{Op: opReadFrame, ID: r.id, Chunk: chunkIndex}, most, nil, func(in io.Reader) (err error) {
		frame, err = io.ReadAll(in)
		return err
	})
	if err != nil || len(frame) == 0 {
		return nil, err
	}
	return frame, nil
}

// Close implements formats.Reader. It returns no error if the helper has ended before, because
// ReadSection has returned that error.
func (r *reader) Close() error {
	r.closed = true
	if r.p.hasEnded() {
		return nil
	}
	a, err := r.p.call(request{Op: opClose, ID: r.id}, 0, nil, nil)
	return errors.Join(err, r.p.release(a.Spent))
}

// A writer writes a variable of a file that a helper makes.
type writer struct {
	file    *file
	id      int
	info    formats.Info
	leftOut []byte // from the answer to AcceptsFrames
}

// A file is the state that the writers of one file share.
type file struct {
	p    *process
	open int // writers
}

// create begins a file in a helper of its own (op is opCreate) or opens one to append to it
// (opAppend).
func create(op, format, path string, c formats.Content) ([]formats.Writer, error) {
	size := int64(0)
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	p, err := start(format, cmp.Or(c.Memory, raster.DefaultMemory), size)
	if err != nil {
		return nil, err
	}
	sent, err := newContent(c)
	var a answer
	if err == nil {
		a, err = p.call(request{Op: op, Format: format, Path: path, Content: sent}, 0, nil, nil)
	}
	if err == nil && len(a.IDs) != len(c.Vars) {
		err = p.refuse(fmt.Errorf("%d writers for %d variables", len(a.IDs), len(c.Vars)))
	}
	if err != nil {
		_ = p.close() // the first error is what the caller needs
		return nil, err
	}
	f := &file{p, len(c.Vars)}
	writers := make([]formats.Writer, len(c.Vars))
	for i, info := range c.Vars {
		writers[i] = &writer{file: f, id: a.IDs[i], info: info}
	}
	if len(writers) == 0 { // nothing to write: the file is complete
		return writers, p.close()
	}
	return writers, nil
}

// WriteSection implements formats.Writer.
func (w *writer) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := w.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	p, size := w.file.p, w.info.DType.Size()
	for box := range w.info.Boxes(sec, boxBytes) {
		n, _ := box.Len() // of a section that was checked
		_, err := p.call(request{Op: opWrite, ID: w.id, Section: pairs(box), Bytes: n * size}, n*size, func(out io.Writer) error {
			return sendBox(out, w.info, sec, box, buf, n*size)
		}, nil)
		if err != nil {
			return err
		}
		p.addBytes(n * size)
	}
	return nil
}

// sendBox sends the elements of a box of a section in packets. It gathers short runs into full
// packets.
func sendBox(out io.Writer, info formats.Info, sec, box nd.Section, buf []byte, bytes int) error {
	data := make([]byte, 0, min(bytes, maxPacket))
	err := eachRun(info, sec, box, func(at, n int) error {
		for run := buf[at : at+n]; len(run) > 0; {
			if len(data) == 0 && len(run) >= maxPacket {
				if err := writePacket(out, kindData, run[:maxPacket]); err != nil {
					return err
				}
				run = run[maxPacket:]
				continue
			}
			k := min(len(run), maxPacket-len(data))
			data, run = append(data, run[:k]...), run[k:]
			if len(data) == maxPacket {
				if err := writePacket(out, kindData, data); err != nil {
					return err
				}
				data = data[:0]
			}
		}
		return nil
	})
	if err != nil || len(data) == 0 {
		return err
	}
	return writePacket(out, kindData, data)
}

// AcceptsFrames implements formats.FrameWriter. It returns false after an error; the next call
// returns the error.
func (w *writer) AcceptsFrames(c formats.CodecSpec) bool {
	a, err := w.file.p.call(request{Op: opAccepts, ID: w.id, Codec: newCodecSpec(c)}, 0, nil, nil)
	w.leftOut = a.LeftOut
	return err == nil && a.Accepts
}

// LeftOut implements formats.FrameWriter.
func (w *writer) LeftOut() []byte { return w.leftOut }

// WriteFrame implements formats.FrameWriter.
func (w *writer) WriteFrame(chunkIndex []int, frame []byte) error {
	if _, err := chunkBytes(w.info, chunkIndex); err != nil {
		return err
	}
	p := w.file.p
	_, err := p.call(request{Op: opWriteFrame, ID: w.id, Chunk: chunkIndex, Bytes: len(frame)}, len(frame), func(out io.Writer) error {
		return writeData(out, frame)
	}, nil)
	if err == nil {
		p.addBytes(len(frame))
	}
	return err
}

// Close implements formats.Writer. The last writer of a file ends the helper. If the helper has
// ended before, the file is not complete, and Close returns the error once more.
func (w *writer) Close() error {
	_, err := w.file.p.call(request{Op: opClose, ID: w.id}, 0, nil, nil)
	if w.file.open--; w.file.open == 0 {
		err = errors.Join(err, w.file.p.close())
	}
	return err
}

// addBytes adds n to the size of the file, by which the watch measures how long the helper may
// compute.
func (p *process) addBytes(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file += int64(n)
}
