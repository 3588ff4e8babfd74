package pipe

import (
	"errors"
	"fmt"
	"io"
	"time"
)

var (
	// errNoData ends the elements of an answer that is an error.
	errNoData = errors.New("the answer has no elements")
	// errLoop is returned if a helper computes or reads without end.
	errLoop = errors.New("no end")
)

// An answerReader reads the packets of an answer: first elements, by Read, then the text.
type answerReader struct {
	p      *process
	w      *watch
	left   int    // bytes of elements still expected
	packet int    // bytes of the present packet still to be read
	begun  []byte // of the text
	ended  bool   // the text is complete
}

// next reads beats and texts up to the next packet of elements, or to the end of the text.
func (a *answerReader) next() error {
	for !a.ended && a.packet == 0 {
		kind, n, err := readHead(a.p.packets)
		if err != nil {
			return noEOF(err)
		}
		switch kind {
		case kindBeat:
			b := make([]byte, n)
			if _, err := io.ReadFull(a.p.packets, b); err != nil {
				return noEOF(err)
			}
			if err := a.w.beat(time.Now(), decodeBeat(b)); err != nil {
				return loopError{err}
			}
			continue
		case kindData:
			if n == 0 || n > a.left || a.begun != nil {
				return fmt.Errorf("%w: %d bytes of elements, where %d were to come", errProtocol, n, a.left)
			}
			a.packet = n
		default:
			if a.begun, err = addText(a.p.packets, a.begun, n); err != nil {
				return err
			}
			a.ended = kind == kindText
		}
		a.w.answered(time.Now())
	}
	return nil
}

// Read reads elements. The error is errNoData if the answer has none.
func (a *answerReader) Read(b []byte) (int, error) {
	if err := a.next(); err != nil {
		return 0, err
	}
	if a.ended {
		return 0, errNoData
	}
	n, err := a.p.packets.Read(b[:min(len(b), a.packet)])
	a.packet -= n
	a.left -= n
	return n, noEOF(err)
}

// text returns the text.
func (a *answerReader) text() ([]byte, error) {
	if a.packet > 0 {
		return nil, fmt.Errorf("%w: %d bytes of elements too many", errProtocol, a.packet)
	}
	if err := a.next(); err != nil {
		return nil, err
	}
	if !a.ended {
		return nil, fmt.Errorf("%w: %d bytes of elements too many", errProtocol, a.packet)
	}
	return a.begun, nil
}

// A loopError is an errLoop, for errors.Is, with a text of its own.
type loopError struct{ error }

// Is implements the method that errors.Is calls.
func (e loopError) Is(target error) bool { return target == errLoop }
