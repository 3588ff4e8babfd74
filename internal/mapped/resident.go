package mapped

// What a unit can be.
const (
	absent uint32 = iota // not resident, as far as is known
	touched
	noticed // to be forgotten unless it is touched again
)

// An entry of a queue is a unit of a region.
type entry struct {
	region *region
	unit   int64
}

// become changes the entry's state if it is the one expected.
func (e entry) become(from, to uint32) bool {
	return e.region.units[e.unit].CompareAndSwap(from, to)
}

// touchAll touches the units first to last until all of them are: one may have to let another
// go that was touched long ago. Goroutines that take more than the budget at once could go on
// like that for ever.
func (f *File) touchAll(r *region, first, last int64) {
	for again, tries := true, 4; again && tries > 0; tries-- {
		again = false
		for u := first; u <= last; u++ {
			if r.units[u].Load() != touched {
				f.touch(r, u)
				again = true
			}
		}
	}
}

// touch counts a unit that Bytes hands out and lets go what is too much. The system may
// refuse that for memory that is locked: then all of it stays.
func (f *File) touch(r *region, u int64) {
	e := entry{r, u}
	if e.become(noticed, touched) {
		return // it stays in its queue until evict finds it
	}
	f.admit(e)
	for {
		old, ok := f.evict()
		if !ok {
			return
		}
		_ = old.region.mapping.Forget(int(old.unit*unit), unit)
	}
}

// admit puts an absent unit into the first queue.
func (f *File) admit(e entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || e.region.units[e.unit].Swap(touched) != absent {
		return // another goroutine was quicker
	}
	f.active = append(f.active, e)
	f.resident.Add(1)
	f.notice()
}

// notice moves the oldest units to the second queue, all but 3/4 of the budget.
func (f *File) notice() {
	for int64(len(f.active)) > f.budget-f.budget/4 {
		old := pop(&f.active)
		old.become(touched, noticed)
		f.noticed = append(f.noticed, old)
	}
}

// evict returns a unit to be forgotten, or false when the budget is kept. Units that were
// touched since their notice go back, but each of them once only in a call: it ends.
func (f *File) evict() (entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.resident.Load() <= f.budget {
		return entry{}, false
	}
	for chances := f.resident.Load(); ; chances-- {
		old := pop(&f.noticed)
		if old.become(noticed, absent) || chances <= 0 && old.become(touched, absent) {
			f.resident.Add(-1)
			return old, true
		}
		f.active = append(f.active, old)
		f.notice()
	}
}

// pop takes the first entry of a queue.
func pop(queue *[]entry) entry {
	e := (*queue)[0]
	*queue = (*queue)[1:]
	return e
}

// Room reports whether n bytes from off, at most a slot, can be handed out without letting
// others go: they are counted already, or fit in the budget beside the others.
func (f *File) Room(off int64, n int) bool {
	if n <= 0 || int64(n) > f.most || off < 0 || off >= end {
		return n == 0
	}
	r, at := f.known(off), off&(regionSize-1)
	if r != nil && r.err != nil {
		return false
	}
	more := int64(0)
	for u := at / unit; u <= (at+int64(n)-1)/unit; u++ {
		if r == nil || r.units[u].Load() == absent {
			more++
		}
	}
	return more == 0 || f.resident.Load()+more <= f.budget
}

// Resident returns how many bytes are counted as resident, at least as many as are: in whole
// units, but for bytes that are on their way out and such as were kept for later, see Bytes.
func (f *File) Resident() int64 { return f.resident.Load() * unit }
