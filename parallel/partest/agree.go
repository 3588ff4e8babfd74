package partest

import (
	"errors"
	"fmt"
	"testing"

	"drx/parallel/par"
)

func testAgree(t *testing.T, launch Launch) {
	program(t, launch, "errors", agreeErrors)
	program(t, launch, "different calls", disagree)
}

var errTest = errors.New("error of the test")

func init() { par.Register(errTest) }

// agreeErrors: each proc in turn has an error, then two procs at once.
func agreeErrors(c par.Comm) error {
	for p := range c.Procs() {
		var mine error
		if c.Proc() == p || c.Proc() == p+1 {
			mine = fmt.Errorf("\"disk\" of %d: %w", c.Proc(), errTest)
		}
		err := c.Agree("step", mine)
		want := fmt.Sprintf("proc %d: \"disk\" of %d: error of the test", p, p)
		if err := errors.Join(is("agreed", err, errTest), from("agreed", err, p), equal("text", err.Error(), want)); err != nil {
			return err
		}
		err = c.Agree("next step", fmt.Errorf("reading: %w", err)) // the error still names its proc
		if err := errors.Join(is("again", err, errTest), from("again", err, p), equal("text", err.Error(), "reading: "+want)); err != nil {
			return err
		}
		if err := c.Agree("step", nil); err != nil {
			return err
		}
	}
	return nil
}

// disagree: one proc makes another call than all others, whose errors name it; then the program
// continues.
func disagree(c par.Comm) error {
	if c.Procs() == 1 {
		return nil
	}
	stray := c.Procs() - 1
	calls := []struct{ all, one func() error }{
		{c.Barrier, func() error { return c.Broadcast(nil, 0) }},
		{func() error { return c.Broadcast(make([]byte, 4), 0) }, func() error { return c.Broadcast(make([]byte, 5), 0) }},
		{func() error { return c.Broadcast(nil, 0) }, func() error { return c.Broadcast(nil, 1) }},
		{func() error { return c.Agree("a", nil) }, func() error { return c.Agree("b", errTest) }},
		{func() error { return par.AllReduce(c, []int32{1}, par.Sum) }, func() error { return par.AllReduce(c, []int32{1}, par.Max) }},
		{func() error { return par.AllReduce(c, []int32{1}, par.Sum) }, func() error { return par.AllReduce(c, []float32{1}, par.Sum) }},
		{
			func() error { _, err := c.OpenFile("a", 0, nil); return err },
			func() error { _, err := c.OpenFile("b", 0, nil); return err },
		},
	}
	for i, call := range calls {
		f := call.all
		if c.Proc() == stray {
			f = call.one
		}
		what := fmt.Sprintf("call %d", i)
		err := f()
		// If two procs make different calls, the second one is blamed.
		if err := errors.Join(is(what, err, par.ErrDisagree), from(what, err, stray), c.Barrier()); err != nil {
			return err
		}
	}
	return nil
}
