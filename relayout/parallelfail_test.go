package relayout

import (
	"errors"
	"testing"
	"time"

	"drx/nd"
	"drx/parallel/par"
)

// A lonely member fails alone, in call number at of a kind. The other procs learn of the error only
// through the copy.
type lonely struct {
	member
	kind   string
	at     *int
	broken error
}

func (l lonely) call(kind string) error {
	if kind != l.kind {
		return nil
	}
	if *l.at--; *l.at == 0 {
		return l.broken
	}
	return nil
}

func (l lonely) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return errors.Join(l.call("read"), l.member.ReadBytes(sec, buf, order))
}

func (l lonely) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return errors.Join(l.call("write"), l.member.WriteBytes(sec, buf, order))
}

func (l lonely) Sync() error { return errors.Join(l.call("commit"), l.member.Sync()) }

// If a call fails on one proc only, the copy must end on all with that error, and the procs must
// still be able to make collective calls.
func TestCopyParallelFailsOnOneProc(t *testing.T) {
	broken := errors.New("broken")
	for _, kind := range []string{"read", "write", "commit"} {
		for proc := range 3 {
			at := 1
			for ; failsAlone(t, kind, proc, at, broken); at++ {
				if at > 200 {
					t.Fatalf("%s %d of proc %d does not come", kind, at, proc)
				}
			}
			if at < 5 && !t.Failed() {
				t.Errorf("only %d calls to %s on proc %d", at-1, kind, proc)
			}
		}
	}
}

// failsAlone copies, and reports whether the call that is to fail was made.
func failsAlone(t *testing.T, kind string, proc, at int, broken error) (failed bool) {
	t.Helper()
	run := resumable(t, 3)
	left := at
	err := par.Run(3, func(c par.Comm) error {
		l := lonely{member{run.dst, c.Proc(), run.log}, "", nil, broken}
		from := lonely{member{run.src, c.Proc(), newJournal()}, "", nil, broken}
		if c.Proc() == proc {
			l.kind, l.at, from.kind, from.at = kind, &left, kind, &left
		}
		_, err := CopyParallel(t.Context(), c, l, from, run.plan, run.options)
		if c.Proc() == 0 {
			failed = err != nil
		}
		var named *par.ProcError
		if err != nil && (!errors.Is(err, broken) || !errors.As(err, &named) || named.Proc != proc) {
			t.Errorf("%s %d of proc %d: proc %d: %v", kind, at, proc, c.Proc(), err)
		}
		return c.Agree("go on", nil)
	}, par.Options{Timeout: 5 * time.Second})
	if err != nil {
		t.Fatalf("%s %d of proc %d: %v", kind, at, proc, err)
	}
	return failed
}
