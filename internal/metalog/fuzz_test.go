package metalog

import (
	"errors"
	"runtime"
	"testing"

	"drx/internal/state"
)

// Any bytes in a file give an error of the right kind, or a state that writing its records to a new
// log reproduces.
func FuzzReadLog(f *testing.F) {
	for _, g := range golden {
		file, _ := write(f, g.commits...)
		text := bytesOf(f, file)
		f.Add(text)
		f.Add(text[:len(text)-9])
	}
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		readAgain(t, text)
	})
}

// The same for a commit with a valid checksum after a header. A commit that is read must be written
// with the same bytes.
func FuzzDecodeCommit(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.text))
	}
	f.Add([]byte(`[{"extend":0,"by":1},{"extend":1,"by":2,"low":true}]`))
	f.Add([]byte(`[{"extend":0,"by":1} , {"extend":1,"by":2,"low":true} ]`))
	f.Add([]byte(`{"extend":0,"by":9223372036854775807}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		sameAsAny(t, text)
		records, err := decode(text)
		if err == nil {
			wantAsWritten(t, text, records)
		}
		if err != nil && !errors.Is(err, state.ErrCorrupt) && !errors.Is(err, state.ErrVersion) {
			t.Errorf("error %v wraps neither sentinel", err)
		}
		first := line(nil, samples[0].text)
		readAgain(t, append(first, line(first[:8], string(text))...))
		readAgain(t, line(nil, string(text)))
	})
}

func readAgain(t *testing.T, text []byte) {
	file := newFile(t, text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, _, err := ReadLog(file)
	runtime.ReadMemStats(&after)
	if n, limit := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+len(text)*4096); n > limit {
		t.Errorf("%d bytes allocated for a log of %d", n, len(text))
	}
	if err != nil {
		if !errors.Is(err, state.ErrCorrupt) && !errors.Is(err, state.ErrVersion) {
			t.Errorf("error %v wraps neither sentinel", err)
		}
		return
	}
	again, err := rewritten(t, text)
	if err != nil {
		t.Fatalf("written anew: %v", err)
	}
	wantState(t, again, s)
}

// rewritten reads the records of a good log, writes them to another and replays that.
func rewritten(t *testing.T, text []byte) (*state.State, error) {
	l := NewLog(newFile(t, nil))
	copied := NewLog(newFile(t, nil))
	for len(text) > 0 {
		n := 0
		for n < len(text) && text[n] != '\n' {
			n++
		}
		n = min(n+1, len(text))
		digits, commit, ok := l.verify(text[:n])
		if !ok {
			break
		}
		records, err := decode(commit)
		if err == nil {
			err = copied.Append(records, true)
		}
		if err != nil {
			return nil, err
		}
		l.digits = digits
		text = text[n:]
	}
	s, _, err := ReadLog(copied.file)
	return s, err
}
