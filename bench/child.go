package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// A child is DRX as a peer: a second process of this program, which the driver sends the same
// requests as the other peers. Its options are
//
//	cache=default   the zero Options
//	cache=BYTES     Options.Cache
//
// Durability is DurabilityFull if the request says durable=1, else DurabilityNone: without it the
// other peers, too, only hand their bytes to the operating system.
type child struct {
	a      *drx.Array
	clock  clock
	check  uint64
	framed uint64 // bytes that encode has produced
}

// clock accumulates the time of the measured work.
type clock struct {
	wall, cpu time.Duration
	ops       int
	wallBegin time.Time
	cpuBegin  time.Duration
}

func (c *clock) begin() {
	c.cpuBegin = cpuTime()
	c.wallBegin = time.Now()
}

func (c *clock) end(ops int) {
	c.wall += time.Since(c.wallBegin)
	c.cpu += cpuTime() - c.cpuBegin
	c.ops += ops
}

// cpuTime returns the CPU time of all threads of this process so far.
func cpuTime() time.Duration {
	var u unix.Rusage
	// The call cannot fail with these arguments.
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serveChild answers requests until the input ends.
func serveChild(in io.Reader, out io.Writer) error {
	c := &child{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if _, err := fmt.Fprintln(out, c.answer(lines.Text())); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	if c.a != nil {
		return errors.Join(lines.Err(), c.a.Discard())
	}
	return lines.Err()
}

func (c *child) answer(line string) string {
	c.clock, c.check = clock{}, 0
	q, err := parseRequest(line)
	if err == nil {
		err = c.serve(q)
	}
	switch {
	case errors.Is(err, errUnsupported):
		return "unsupported " + q.verb
	case err != nil:
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return fmt.Sprintf("ok %d %d %d %d", c.clock.wall, c.clock.cpu, c.clock.ops, c.check)
}

func (c *child) serve(q request) error {
	work, ok := map[string]func(request) error{
		"create": c.create, "open": c.open, "close": c.close, "read": c.read, "scan": c.scan, "sweep": c.sweep,
		"gather": c.gather, "scatter": c.scatter,
		"grow": c.grow, "append": c.append, "extend": c.extend, "reopen": c.reopen, "history": c.history,
		"store": c.store, "use": c.open, "whole": c.whole, "part": c.part, "size": c.size, "encode": c.pack, "decode": c.pack,
	}[q.verb]
	if !ok {
		return errUnsupported
	}
	return work(q)
}

// options returns the options for the caching and durability of a request.
func options(q request, durable int) (drx.Options, error) {
	o := drx.Options{}
	if cache := q.text("cache", "default"); cache != "default" {
		n, err := strconv.ParseInt(cache, 10, 64)
		if err != nil {
			return o, fmt.Errorf("argument cache=%s is no number of bytes", cache)
		}
		o.Cache = n
	}
	durable, err := q.number("durable", durable)
	if durable == 0 {
		o.Durability = drx.DurabilityNone
	}
	return o, err
}

// createArray creates an array and replaces any that exists. With memory=1 the cache holds all
// chunks, and nothing is committed during the measurement.
func (c *child) createArray(q request, durable int) error {
	if err := c.close(q); err != nil {
		return err
	}
	if err := removeArray(q.text("path", "")); err != nil {
		return err
	}
	o, err := options(q, durable)
	shape, err1 := q.numbers("shape")
	chunk, err2 := q.numbers("chunk")
	memory, err3 := q.number("memory", 0)
	if err := errors.Join(err, err1, err2, err3); err != nil {
		return err
	}
	if memory == 1 {
		o.Durability, o.Cache = drx.DurabilityNone, 4<<30
	}
	c.clock = clock{} // closing the previous array does not count
	c.clock.begin()
	c.a, err = drx.Create(q.text("path", ""), drx.Spec{DType: dtype.Float64, Shape: shape, ChunkShape: chunk, Options: o})
	c.clock.end(0)
	return err
}

// removeArray removes the files of an array, if there are any.
func removeArray(path string) error {
	if err := drx.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// section converts a box to a section.
func section(b box) nd.Section {
	s := make(nd.Section, len(b.lo))
	for d := range s {
		s[d] = nd.Span(b.lo[d], b.lo[d]+b.size[d])
	}
	return s
}

func (c *child) open(q request) error {
	if err := c.close(q); err != nil {
		return err
	}
	o, err := options(q, 0)
	write, err1 := q.number("write", 0)
	if err := errors.Join(err, err1); err != nil {
		return err
	}
	o.Write = write == 1
	c.clock.begin()
	c.a, err = drx.Open(q.text("path", ""), o)
	c.clock.end(1)
	return err
}

func (c *child) close(request) error {
	if c.a == nil {
		return nil
	}
	c.clock.begin()
	err := c.a.Close()
	c.clock.end(1)
	c.a = nil
	return err
}

// touchedBuffer returns n elements whose pages have been touched, so that no page faults fall into
// the measured time.
func touchedBuffer(n int) []float64 {
	buf := make([]float64, n)
	for i := 0; i < n; i += 512 {
		buf[i] = 1
	}
	return buf
}

// touchedBytes returns memory that has been touched, so that the slow first touch is not timed.
func touchedBytes(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}
