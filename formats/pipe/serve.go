package pipe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// Serve reads requests from in and answers them on out with the registered formats, until in ends.
// Then it closes all variables that are still open. The error wraps io.ErrUnexpectedEOF if in ends
// within a request, and describes a request that violates the protocol.
func Serve(in io.Reader, out io.Writer) error { return serve(in, out, limitMemory) }

// serve is Serve with a function that limits the further memory of this process, in bytes.
func serve(in io.Reader, out io.Writer, limit func(int64) error) error {
	s := &server{in: newInput(in), out: &lockedWriter{w: bufio.NewWriterSize(out, 64<<10)}, open: map[int]*handle{}, limit: limit}
	if err := writePreface(s.out); err != nil {
		return err
	}
	if err := s.out.flush(); err != nil {
		return err
	}
	err := readPreface(s.in)
	for err == nil {
		err = s.serveOne()
	}
	for _, h := range s.open {
		_ = h.close() // the program is gone: nobody to report to
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// A server is the helper's side of a conversation.
type server struct {
	in     *bufio.Reader
	out    *lockedWriter
	open   map[int]*handle
	last   int   // the last id given
	memory int64 // the limit in bytes; 0 before hello
	limit  func(int64) error
	buf    []byte // for the elements of one section, used again
	uses   int    // see spent
	first  int64
}

// A handle is an open variable: one of reader and writer is nil.
type handle struct {
	path   string
	info   formats.Info
	reader formats.Reader
	writer formats.Writer
}

func (h *handle) close() error {
	if h.reader != nil {
		return h.reader.Close()
	}
	return h.writer.Close()
}

// serveOne answers one request. Its error ends the conversation.
func (s *server) serveOne() error {
	var text []byte
	for {
		kind, n, err := readHead(s.in)
		if err != nil {
			return err
		}
		if kind != kindPart && kind != kindText {
			return fmt.Errorf("%w: a packet of kind %q instead of a request", errProtocol, kind)
		}
		if text, err = addText(s.in, text, n); err != nil {
			return err
		}
		if kind == kindText {
			break
		}
	}
	var r request
	if err := parse(text, &r); err != nil {
		return err
	}
	if s.memory == 0 && r.Op != opHello {
		return fmt.Errorf("%w: request %q before hello", errProtocol, r.Op)
	}
	stop := startBeats(s.out)
	data, answer, err := s.answer(r)
	stop()
	if err != nil {
		return err
	}
	if err := writeData(s.out, data); err != nil {
		return err
	}
	if err := writeText(s.out, answer); err != nil {
		return err
	}
	return s.out.flush()
}

// answer carries out a request. Its error ends the conversation; other errors are in the answer.
func (s *server) answer(r request) (data []byte, a answer, err error) {
	path, failed := r.Path, error(nil)
	switch r.Op {
	case opHello:
		a.Formats, failed = s.hello(r)
	case opList:
		var c formats.Content
		if c, failed = formats.List(r.Path, s.options(r)); failed == nil {
			a.Content, failed = newContent(c)
		}
		a.Spent = s.spent()
	case opOpen:
		a, failed = s.openReader(r)
	case opCreate:
		a.IDs, failed = s.create(r, formats.CreateFile)
	case opAppend:
		a.IDs, failed = s.create(r, formats.AppendFile)
	case opRead, opReadFrame:
		h := s.open[r.ID]
		if h == nil || h.reader == nil {
			return nil, a, fmt.Errorf("%w: reads id %d, which is not open", errProtocol, r.ID)
		}
		path = h.path
		if r.Op == opRead {
			data, failed = s.read(h, section(r.Section))
		} else {
			data, failed = s.readFrame(h, r.Chunk)
			n := len(data)
			a.Bytes = &n
		}
	case opWrite, opAccepts, opWriteFrame:
		h := s.open[r.ID]
		if h == nil || h.writer == nil {
			return nil, a, fmt.Errorf("%w: writes id %d, which is not open", errProtocol, r.ID)
		}
		path = h.path
		switch r.Op {
		case opWrite:
			failed, err = s.write(h, section(r.Section), r.Bytes)
		case opAccepts:
			a = s.accepts(h, r.Codec.decode())
		default:
			failed, err = s.writeFrame(h, r.Chunk, r.Bytes)
		}
	case opClose:
		h := s.open[r.ID]
		if h == nil {
			return nil, a, fmt.Errorf("%w: closes id %d, which is not open", errProtocol, r.ID)
		}
		path = h.path
		delete(s.open, r.ID)
		failed = h.close()
		a.Spent = s.spent()
	default:
		err = fmt.Errorf("%w: request %q", errProtocol, r.Op)
	}
	if failed != nil {
		return nil, answer{Error: newFailure(failed, path)}, err
	}
	return data, a, err
}

const (
	// margin is the private memory that the helper may take beyond what a request allows: stacks of
	// threads, 8 MiB each, and the buffers of Go.
	margin = 128 << 20
	// manyUses is the number of uses of files between two checks of the helper's memory.
	manyUses = 32
	// maxGrowth limits how much the private memory may grow after the first use, in bytes.
	maxGrowth = margin / 4
)

// spent reports whether the libraries keep so much memory of closed files that a new helper should
// replace this one. The memory of the first file does not count, because the file may still be
// open.
func (s *server) spent() bool {
	s.uses++
	if s.uses > 1 && s.uses%manyUses != 0 {
		return false
	}
	now, err := privateMemory()
	if s.uses == 1 {
		s.first = now
	}
	return s.uses > 1 && (err != nil || now-s.first > maxGrowth)
}

// hello limits the memory of this process and returns the names of its formats.
func (s *server) hello(r request) (names []string, err error) {
	if r.Memory < 1 {
		return nil, fmt.Errorf("a limit of %d bytes of memory", r.Memory)
	}
	s.memory = r.Memory
	for _, f := range formats.Formats() {
		names = append(names, f.Name)
	}
	return names, s.limit(r.Memory)
}

func (s *server) options(r request) formats.Options {
	return formats.Options{Format: r.Format, Variable: r.Variable, Memory: r.Memory, Rounded: r.Rounded}
}

// add makes a variable open and returns its id.
func (s *server) add(h *handle) int {
	s.last++
	s.open[s.last] = h
	return s.last
}

func (s *server) openReader(r request) (a answer, err error) {
	reader, err := formats.Open(r.Path, s.options(r))
	if err != nil {
		return a, err
	}
	info := reader.Info()
	if a.Content, err = newContent(formats.Content{Vars: []formats.Info{info}}); err != nil {
		return a, errors.Join(err, reader.Close())
	}
	a.ID = s.add(&handle{path: r.Path, info: info, reader: reader})
	return a, nil
}

// create begins a file, or opens one to append to it.
func (s *server) create(r request, open func(path, format string, c formats.Content) ([]formats.Writer, error)) (ids []int, err error) {
	c, err := r.Content.decode()
	if err != nil {
		return nil, err
	}
	writers, err := open(r.Path, r.Format, c)
	if err != nil {
		return nil, err
	}
	for i, w := range writers {
		ids = append(ids, s.add(&handle{path: r.Path, info: c.Vars[i], writer: w}))
	}
	return ids, nil
}

// buffer returns the buffer for the elements of a section, after checking it.
func (s *server) buffer(h *handle, sec nd.Section) ([]byte, error) {
	sec, err := sec.Resolve(make([]int, len(h.info.Shape)), h.info.Shape)
	if err != nil {
		return nil, err
	}
	n, err := formats.Info{DType: h.info.DType, Shape: sec.Shape()}.Bytes()
	if err == nil && int64(n) > s.memory {
		err = fmt.Errorf("section %v has %d bytes: %w: the limit is %d", sec, n, formats.ErrMemory, s.memory)
	}
	if err != nil {
		return nil, err
	}
	s.buf = slices.Grow(s.buf[:0], n)[:n]
	return s.buf, nil
}

func (s *server) read(h *handle, sec nd.Section) ([]byte, error) {
	buf, err := s.buffer(h, sec)
	if err != nil {
		return nil, err
	}
	return buf, h.reader.ReadSection(sec, buf)
}

// write reads n bytes of elements and writes them to a section. err ends the conversation.
func (s *server) write(h *handle, sec nd.Section, n int) (failed, err error) {
	data := &dataReader{in: s.in, left: n}
	buf, failed := s.buffer(h, sec)
	if failed == nil && len(buf) != n {
		failed = errkind.Errorf(formats.ErrSize, "section %v has %d bytes, not %d", sec, len(buf), n)
	}
	if failed == nil {
		_, err = io.ReadFull(data, buf)
	} else {
		_, err = io.Copy(io.Discard, data)
	}
	if failed != nil || err != nil {
		return failed, err
	}
	return h.writer.WriteSection(sec, buf), nil
}

// readFrame answers a request for a frame, see formats.FrameReader. It answers with none if the
// frame is longer than the chunk or does not fit into the memory: the program then reads the
// elements instead.
func (s *server) readFrame(h *handle, chunkIndex []int) ([]byte, error) {
	most, err := chunkBytes(h.info, chunkIndex)
	if err != nil {
		return nil, err
	}
	r, ok := h.reader.(formats.FrameReader)
	if !ok || int64(most) > s.memory {
		return nil, nil
	}
	frame, err := r.ReadFrame(chunkIndex)
	if len(frame) > most {
		return nil, nil
	}
	return frame, err
}

// accepts answers whether a writer accepts frames of a codec.
func (s *server) accepts(h *handle, c formats.CodecSpec) (a answer) {
	if w, ok := h.writer.(formats.FrameWriter); ok {
		if a.Accepts = w.AcceptsFrames(c); a.Accepts {
			a.LeftOut = w.LeftOut()
		}
	}
	return a
}

// writeFrame reads a frame of n bytes and writes it. err ends the conversation.
func (s *server) writeFrame(h *handle, chunkIndex []int, n int) (failed, err error) {
	most, failed := chunkBytes(h.info, chunkIndex)
	w, ok := h.writer.(formats.FrameWriter)
	if failed == nil && (!ok || n < 0 || n > most || int64(n) > s.memory) {
		failed = fmt.Errorf("chunk %v: a frame of %d bytes cannot be written", chunkIndex, n)
	}
	data := &dataReader{in: s.in, left: n}
	if failed != nil {
		_, err = io.Copy(io.Discard, data)
		return failed, err
	}
	s.buf = slices.Grow(s.buf[:0], n)[:n]
	if _, err := io.ReadFull(data, s.buf); err != nil {
		return nil, err
	}
	if n == 0 {
		return w.WriteFrame(chunkIndex, nil), nil
	}
	return w.WriteFrame(chunkIndex, s.buf), nil
}

// A dataReader reads elements from D packets.
type dataReader struct {
	in     io.Reader
	left   int // bytes of elements still to be read
	packet int // of these, in the present packet
}

// Read implements io.Reader. The error wraps errProtocol if other packets come.
func (d *dataReader) Read(p []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	if d.packet == 0 {
		kind, n, err := readHead(d.in)
		if err != nil {
			return 0, noEOF(err)
		}
		if kind != kindData || n == 0 || n > d.left {
			return 0, fmt.Errorf("%w: a packet of kind %q with %d bytes, where %d bytes of elements are to come", errProtocol, kind, n, d.left)
		}
		d.packet = n
	}
	n, err := d.in.Read(p[:min(len(p), d.packet)])
	d.packet -= n
	d.left -= n
	return n, noEOF(err)
}

// A lockedWriter is a buffered writer for the answers and the beats.
type lockedWriter struct {
	mu sync.Mutex
	w  *bufio.Writer
}

// Write implements io.Writer. A packet is written by two calls, so beats are only written while
// nothing else is.
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (l *lockedWriter) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Flush()
}
