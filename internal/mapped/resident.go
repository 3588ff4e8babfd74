package mapped

// The states of a unit.
const (
	absent uint32 = iota // not resident, as far as is known
	inUse
	expiring // to be dropped unless Bytes returns it again
)

// An entry of a queue is one unit of a region.
type entry struct {
	region *region
	unit   int64
}

// change changes the state of the entry's unit to to, if it is from, and reports whether it did.
func (e entry) change(from, to uint32) bool {
	return e.region.units[e.unit].CompareAndSwap(from, to)
}

// touchAll marks the units from first to last as in use. It repeats until all of them are, because
// marking one may drop another. It gives up after four rounds, because goroutines that together
// need more than the budget would never finish.
func (f *File) touchAll(r *region, first, last int64) {
	for again, tries := true, 4; again && tries > 0; tries-- {
		again = false
		for u := first; u <= last; u++ {
			if r.units[u].Load() != inUse {
				f.touch(r, u)
				again = true
			}
		}
	}
}

// touch marks a unit as in use, and drops units beyond the budget. The system may refuse to drop
// locked memory, which then stays resident.
func (f *File) touch(r *region, u int64) {
	e := entry{r, u}
	if e.change(expiring, inUse) {
		return // it stays in its queue until evict finds it
	}
	f.admit(e)
	f.dropExcess()
}

// dropExcess drops units beyond the budget.
func (f *File) dropExcess() {
	for old, ok := f.evict(); ok; old, ok = f.evict() {
		_ = old.region.mapping.Forget(int(old.unit*unit), unit)
	}
}

// SetBudget changes how many bytes may be resident, and drops what is beyond that.
func (f *File) SetBudget(budget int64) {
	f.mu.Lock()
	f.setBudget(budget)
	f.expireOldest()
	f.mu.Unlock()
	f.dropExcess()
}

func (f *File) setBudget(budget int64) {
	units := max(minUnits, budget/unit)
	f.budget.Store(units)
	f.maxBytes.Store(min(f.slot, (units/2-1)*unit))
}

// admit appends an absent unit to the queue of units in use.
func (f *File) admit(e entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || e.region.units[e.unit].Swap(inUse) != absent {
		return // another goroutine was faster
	}
	f.active = append(f.active, e)
	f.resident.Add(1)
	f.expireOldest()
}

// expireOldest moves the oldest units in use, beyond 3/4 of the budget, to the queue of expiring
// ones.
func (f *File) expireOldest() {
	for budget := f.budget.Load(); int64(len(f.active)) > budget-budget/4; {
		old := pop(&f.active)
		old.change(inUse, expiring)
		f.expiring = append(f.expiring, old)
	}
}

// evict returns a unit to be dropped, or false if the budget is not exceeded. A unit that was
// requested since it began to expire goes back to the first queue, but only once per call, so that
// evict ends.
func (f *File) evict() (entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.resident.Load() <= f.budget.Load() {
		return entry{}, false
	}
	for chances := f.resident.Load(); ; chances-- {
		old := pop(&f.expiring)
		if old.change(expiring, absent) || chances <= 0 && old.change(inUse, absent) {
			f.resident.Add(-1)
			return old, true
		}
		f.active = append(f.active, old)
		f.expireOldest()
	}
}

// pop removes the first entry of a queue and returns it.
func pop(queue *[]entry) entry {
	e := (*queue)[0]
	*queue = (*queue)[1:]
	return e
}

// Fits reports whether n bytes at offset off, at most a slot, fit into the budget without dropping
// other units.
func (f *File) Fits(off int64, n int) bool {
	off = f.locate(off)
	if n <= 0 || int64(n) > f.maxBytes.Load() || off < 0 || off >= end {
		return n == 0
	}
	r, at := f.mappedRegion(off), off&(regionSize-1)
	if r != nil && r.err != nil {
		return false
	}
	more := int64(0)
	for u := at / unit; u <= (at+int64(n)-1)/unit; u++ {
		if r == nil || r.units[u].Load() == absent {
			more++
		}
	}
	return more == 0 || f.resident.Load()+more <= f.budget.Load()
}

// Resident returns the number of bytes counted as resident, in whole units. More may be resident
// for a moment, while units are being dropped, or if bytes were kept for later, see Bytes.
func (f *File) Resident() int64 { return f.resident.Load() * unit }
