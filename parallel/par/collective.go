package par

import (
	"cmp"
	"fmt"
	"slices"

	"drx/dtype"
	"drx/internal/errkind"
)

// Broadcast lets every proc copy the buffer of the root, see Comm.
func (c *comm) Broadcast(buf []byte, root int) error {
	what := fmt.Sprintf("broadcast of %d bytes from proc %d", len(buf), root)
	return c.collective(what, c.checkProc(root), buf, func(bufs []any) error {
		if c.proc != root {
			copy(buf, bufs[root].([]byte))
		}
		return nil
	})
}

// Gather lets the root copy the data of all procs, see Comm.
func (c *comm) Gather(data []byte, root int) ([][]byte, error) {
	var all [][]byte
	err := c.collective(fmt.Sprintf("gather at proc %d", root), c.checkProc(root), data, func(parts []any) error {
		if c.proc == root {
			all = copies(parts)
		}
		return nil
	})
	return all, err
}

// AllGather lets every proc copy the data of all procs, see Comm.
func (c *comm) AllGather(data []byte) ([][]byte, error) {
	var all [][]byte
	err := c.collective("all-gather", nil, data, func(parts []any) error {
		all = copies(parts)
		return nil
	})
	return all, err
}

func copies(parts []any) [][]byte {
	all := make([][]byte, len(parts))
	for p := range all {
		all[p] = slices.Clone(parts[p].([]byte))
	}
	return all
}

// AllToAll lets every proc copy its part of the data of all procs, see Comm.
func (c *comm) AllToAll(data [][]byte) ([][]byte, error) {
	var here [][]byte
	err := c.collective("all-to-all", CheckToAll(data, len(c.members)), data, func(all []any) error {
		for p := range all {
			here = append(here, slices.Clone(all[p].([][]byte)[c.proc]))
		}
		return nil
	})
	return here, err
}

// AllReduce lets each proc combine one part of the elements, in the order of the procs. Then every
// proc copies all parts.
func (c *comm) AllReduce(buf []byte, t dtype.DType, op Op) error {
	what := fmt.Sprintf("all-reduce %v of %d bytes of %v", op, len(buf), t)
	return c.collective(what, op.CheckReduce(t, buf), buf, func(bufs []any) error {
		n := len(buf) / t.Size()
		from, to := c.proc*n/len(bufs)*t.Size(), (c.proc+1)*n/len(bufs)*t.Size()
		mine := slices.Clone(bufs[0].([]byte)[from:to])
		for _, b := range bufs[1:] {
			combine(mine, b.([]byte)[from:to], t, op)
		}
		parts, err := c.exchange(what+": parts", nil, mine)
		if err != nil {
			return err
		}
		rest := buf
		for _, part := range parts {
			rest = rest[copy(rest, part.([]byte)):]
		}
		return nil
	})
}

// Split lets the first proc of every color make its group, see Comm.
func (c *comm) Split(color, key int) (Comm, error) {
	var part *comm
	err := c.collective("split", nil, [2]int{color, key}, func(all []any) error {
		var same []int
		for p := range all {
			if all[p].([2]int)[0] == color {
				same = append(same, p)
			}
		}
		slices.SortStableFunc(same, func(p, q int) int { return cmp.Compare(all[p].([2]int)[1], all[q].([2]int)[1]) })
		groups, err := c.exchange("split: groups", nil, c.lead(same))
		if err == nil && color >= 0 {
			c.w.opens(c.members[c.proc], 1)
			part = &comm{group: groups[same[0]].(*group), proc: slices.Index(same, c.proc), part: true}
		}
		return err
	})
	if part == nil || err != nil {
		return nil, err
	}
	return part, nil
}

// opens adds n to the number of open groups of a proc.
func (w *world) opens(proc, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.groups[proc] += n
}

// lead returns a new group of the given procs, on the first of them; nil on the others.
func (c *comm) lead(procs []int) any {
	if procs[0] != c.proc {
		return nil
	}
	members := make([]int, len(procs))
	for i, p := range procs {
		members[i] = c.members[p]
	}
	return newGroup(c.w, members)
}

// Close closes a group that Split returned, see Comm.
func (c *comm) Close() error {
	if !c.part {
		return errkind.Errorf(ErrArgument, "group of the program: it is closed by who opened it")
	}
	if err := c.collective("close of a group", nil, nil, nil); err != nil {
		return err
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.closed.Store(true)
	c.w.groups[c.members[c.proc]]--
	return nil
}
