package partest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"drx/parallel/par"
)

func testCollective(t *testing.T, launch Launch) {
	program(t, launch, "barrier", barriers)
	program(t, launch, "broadcast", broadcasts)
	program(t, launch, "gather", gathers)
	program(t, launch, "all-to-all", allToAll)
	program(t, launch, "arguments", collectiveArguments)
}

// barriers counts in a window: after a barrier all procs must have counted.
func barriers(c par.Comm) error {
	w, err := c.Window(8)
	if err != nil {
		return err
	}
	for round := 1; round <= 50; round++ {
		err := errors.Join(par.Accumulate(w, 0, par.Contiguous(0, 8), []int64{1}, par.Sum), w.Flush(0), c.Barrier())
		if err != nil {
			return err
		}
		n := make([]byte, 8)
		if err := w.Get(0, par.Contiguous(0, 8), n, par.Contiguous(0, 8)); err != nil {
			return err
		}
		if err := same("count", n, bytesOf(int64(round*c.Procs()))); err != nil {
			return err
		}
		if err := c.Barrier(); err != nil {
			return err
		}
	}
	return w.Close()
}

func broadcasts(c par.Comm) error {
	for _, n := range []int{0, 1, 1000, 300_001} {
		for root := range c.Procs() {
			buf := make([]byte, n)
			if c.Proc() == root {
				copy(buf, noise(n, uint64(root)))
			}
			if err := c.Broadcast(buf, root); err != nil {
				return err
			}
			if err := same(fmt.Sprintf("from %d", root), buf, noise(n, uint64(root))); err != nil {
				return err
			}
			clear(buf) // no proc may use it any more
		}
	}
	return nil
}

// part returns the data of a proc in a round: sometimes nothing, sometimes much.
func part(round, proc int) []byte {
	sizes := []int{0, 1, 7, 4096, 200_000}
	return noise(sizes[(round+proc*3)%len(sizes)], uint64(round), uint64(proc))
}

func gathers(c par.Comm) error {
	for round := range 6 {
		mine := part(round, c.Proc())
		all, err := c.AllGather(mine)
		if err != nil {
			return err
		}
		root := round % c.Procs()
		some, err := c.Gather(mine, root)
		if err != nil {
			return err
		}
		clear(mine) // the results are copies
		if c.Proc() != root && some != nil {
			return fmt.Errorf("gather at proc %d: proc %d got it too", root, c.Proc())
		}
		for p := range c.Procs() {
			err := same("all-gather", all[p], part(round, p))
			if c.Proc() == root {
				err = errors.Join(err, same("gather", some[p], part(round, p)))
			}
			if err != nil {
				return fmt.Errorf("round %d from %d: %w", round, p, err)
			}
		}
	}
	return nil
}

func allToAll(c par.Comm) error {
	for round := range 6 {
		out := make([][]byte, c.Procs())
		for p := range out {
			out[p] = part(round, c.Proc()*c.Procs()+p)
		}
		in, err := c.AllToAll(out)
		if err != nil {
			return err
		}
		for p := range in {
			if err := same(fmt.Sprintf("from %d", p), in[p], part(round, p*c.Procs()+c.Proc())); err != nil {
				return err
			}
		}
	}
	return nil
}

// collectiveArguments: a wrong argument of one proc is an error on all procs, and the program
// continues.
func collectiveArguments(c par.Comm) error {
	last := c.Procs() - 1
	bad := make([][]byte, c.Procs()+1)
	good := make([][]byte, c.Procs())
	if c.Proc() == last {
		good = bad
	}
	_, toAll := c.AllToAll(good)
	_, gather := c.Gather(nil, c.Procs())
	errs := []error{
		is("root", c.Broadcast(nil, -1), par.ErrArgument),
		is("gather", gather, par.ErrArgument),
		is("to all", toAll, par.ErrArgument),
		from("to all", toAll, last),
		is("close", c.Close(), par.ErrArgument),
		c.Barrier(),
	}
	return errors.Join(errs...)
}

func testSplit(t *testing.T, launch Launch) {
	program(t, launch, "random", splits)
	program(t, launch, "nested", nested)
}

// splits compares groups with the result of sorting.
func splits(c par.Comm) error {
	r := random(5)
	for range 10 {
		color, key := make([]int, c.Procs()), make([]int, c.Procs())
		for p := range color {
			color[p], key[p] = r.IntN(4)-1, r.IntN(3)-1
		}
		var want []int
		for p := range color {
			if color[p] == color[c.Proc()] {
				want = append(want, p)
			}
		}
		slices.SortStableFunc(want, func(p, q int) int { return key[p] - key[q] })
		g, err := c.Split(color[c.Proc()], key[c.Proc()])
		if err != nil {
			return err
		}
		if color[c.Proc()] < 0 {
			if g != nil {
				return fmt.Errorf("color %d: got a group", color[c.Proc()])
			}
			continue
		}
		if err := checkGroup(c, g, want); err != nil {
			return err
		}
	}
	return nil
}

// checkGroup checks the members of a group, uses it and closes it.
func checkGroup(c, g par.Comm, want []int) error {
	all, err := g.AllGather([]byte{byte(c.Proc())})
	if err != nil {
		return err
	}
	var got []int
	for p, b := range all {
		got = append(got, int(b[0]))
		if err := equal("member", g.Member(p), int(b[0])); err != nil {
			return err
		}
	}
	if !slices.Equal(got, want) || g.Procs() != len(want) || want[g.Proc()] != c.Proc() {
		return fmt.Errorf("proc %d of %d: members %v, want %v", g.Proc(), g.Procs(), got, want)
	}
	sum := []int64{1}
	if err := errors.Join(par.AllReduce(g, sum, par.Sum), equal("sum", sum[0], int64(len(want))), g.Close()); err != nil {
		return err
	}
	return errors.Join(is("after close", g.Barrier(), par.ErrClosed), equal("no member", g.Member(len(want)), -1), equal("no member", g.Member(-1), -1))
}

// nested halves the program until groups of one proc are left. Errors name procs by their numbers
// in the program.
func nested(c par.Comm) error {
	g := c
	var groups []par.Comm
	for g.Procs() > 1 {
		half, err := g.Split(g.Proc()%2, -g.Proc())
		if err != nil {
			return err
		}
		last := half.Member(half.Procs() - 1)
		var mine error
		if half.Proc() == half.Procs()-1 {
			mine = errTest
		}
		err = half.Agree("nested", mine)
		if err := errors.Join(is("nested", err, errTest), from("nested", err, last)); err != nil {
			return err
		}
		g = half
		groups = append(groups, g)
	}
	all, err := c.AllGather([]byte{byte(g.Member(0))})
	if err != nil {
		return err
	}
	for _, g := range slices.Backward(groups) {
		if err := g.Close(); err != nil {
			return err
		}
	}
	return same("members", bytes.Join(all, nil), numbers(c.Procs()))
}

func numbers(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}
