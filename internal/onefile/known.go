package onefile

import (
	"io"
	"sync/atomic"
)

// latestSeveral has the header of the file with several arrays that this process has read or
// changed last. A header with the same bytes has the same streams, and reading the bytes of
// thousands of arrays takes a fraction of the time of decoding them, which each opening would
// otherwise do several times.
var latestSeveral atomic.Pointer[streams]

// mostKept is the most bytes of a header, or of a directory, that are kept so.
const mostKept = 16 << 20

// keep makes the streams the latest ones.
func (s *streams) keep() {
	if s.several && len(s.raw) > 0 && len(s.raw) <= mostKept {
		latestSeveral.Store(s)
	}
}

// knownStreams is readStreams, but decodes nothing if the header is the latest one.
func knownStreams(file io.ReaderAt) (*streams, error) {
	if s := latestSeveral.Load(); s != nil && s.unchanged(file) {
		return s, nil
	}
	s, err := readStreams(file)
	if err == nil {
		s.keep()
	}
	return s, err
}
