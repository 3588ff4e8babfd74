package partest

import (
	"errors"
	"fmt"
	"testing"

	"drx/parallel/par"
)

func testMessages(t *testing.T, launch Launch) {
	program(t, launch, "ring", ring)
	program(t, launch, "order", order)
	program(t, launch, "any", anybody)
	program(t, launch, "too long", tooLong)
	program(t, launch, "arguments", messageArguments)
	program(t, launch, "beside collectives", besideCollectives)
}

// ring sends small and large messages to the next proc, which may be this one.
func ring(c par.Comm) error {
	next, before := (c.Proc()+1)%c.Procs(), (c.Proc()+c.Procs()-1)%c.Procs()
	for _, n := range []int{0, 1, 5000, 600_000} {
		sent := make(chan error, 1)
		go func() { sent <- c.Send(noise(n, uint64(c.Proc())), next, n%par.MaxTag) }()
		buf := make([]byte, n+10)
		m, err := c.Recv(buf, before, n%par.MaxTag)
		if err := errors.Join(err, <-sent); err != nil {
			return err
		}
		err = errors.Join(equal("message", m, par.Message{From: before, Tag: n % par.MaxTag, Len: n}),
			same("ring", buf[:n], noise(n, uint64(before))), same("behind it", buf[n:], make([]byte, 10)))
		if err != nil {
			return err
		}
	}
	return nil
}

// order: messages with one tag keep their order; those with another tag are received when asked
// for.
func order(c par.Comm) error {
	const n = 40
	if c.Proc() > 0 {
		for i := range n {
			if err := c.Send([]byte{byte(i)}, 0, i%2); err != nil {
				return err
			}
		}
		return nil
	}
	for p := 1; p < c.Procs(); p++ {
		for _, tag := range []int{1, 0} {
			for i := tag; i < n; i += 2 {
				var b [1]byte
				_, err := c.Recv(b[:], p, tag)
				if err := errors.Join(err, equal("order", int(b[0]), i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// anybody: one proc receives messages from any proc, and answers.
func anybody(c par.Comm) error {
	if c.Proc() > 0 {
		tag := 100 + c.Proc()
		var b [1]byte
		err := c.Send([]byte{byte(c.Proc())}, 0, tag)
		if err == nil {
			_, err = c.Recv(b[:], 0, par.Any)
		}
		return errors.Join(err, equal("answer", int(b[0]), 2*c.Proc()))
	}
	for range c.Procs() - 1 {
		var b [1]byte
		m, err := c.Recv(b[:], par.Any, par.Any)
		if err != nil {
			return err
		}
		err = errors.Join(equal("from", m.From, int(b[0])), equal("tag", m.Tag, 100+m.From), c.Send([]byte{2 * b[0]}, m.From, 7))
		if err != nil {
			return err
		}
	}
	return nil
}

func tooLong(c par.Comm) error {
	sent := make(chan error, 1)
	go func() { sent <- errors.Join(c.Send(make([]byte, 100), c.Proc(), 1), c.Send([]byte{5}, c.Proc(), 1)) }()
	buf := make([]byte, 10)
	_, err := c.Recv(buf, c.Proc(), 1)
	errs := []error{is("too long", err, par.ErrSize)}
	_, err = c.Recv(buf, c.Proc(), 1)
	return errors.Join(append(errs, err, equal("the next", buf[0], 5), <-sent)...)
}

func messageArguments(c par.Comm) error {
	_, from := c.Recv(nil, c.Procs(), 0)
	_, tag := c.Recv(nil, 0, par.MaxTag+1)
	return errors.Join(
		is("to", c.Send(nil, c.Procs(), 0), par.ErrArgument), is("to any", c.Send(nil, par.Any, 0), par.ErrArgument),
		is("tag", c.Send(nil, 0, par.MaxTag+1), par.ErrArgument), is("any tag", c.Send(nil, 0, par.Any), par.ErrArgument),
		is("from", from, par.ErrArgument), is("receive tag", tag, par.ErrArgument))
}

// besideCollectives: one goroutine sends messages while another one makes collective calls.
func besideCollectives(c par.Comm) error {
	done := make(chan error, 1)
	go func() { done <- ring(c) }()
	for i := range 200 {
		v := []int64{int64(i)}
		if err := errors.Join(par.AllReduce(c, v, par.Max), equal("max", v[0], int64(i))); err != nil {
			return errors.Join(err, <-done)
		}
	}
	return <-done
}

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
// goes on.
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
