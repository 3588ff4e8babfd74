package chunkio

import (
	"sync/atomic"

	"drx/axial"
)

// verified remembers the entries of chunks that were found to agree with their bytes in the file, or
// were written by this process. A write by others changes the entry, so that it need not be told. It is a
// direct-mapped table of pages: a newer page evicts an older one. Its groups are allocated when they are
// first used; most arrays use few.
type verified [maxVerified / verifiedGroup]atomic.Pointer[[verifiedGroup]verifiedSlot]

// A verifiedSlot holds a page, or nil.
type verifiedSlot = atomic.Pointer[verifiedPage]

// A verifiedPage is of the chunks of one page of the table.
type verifiedPage struct {
	number int64
	keys   [pageEntries]atomic.Uint64
}

// The table holds maxVerified pages, 4 MiB, in groups of verifiedGroup slots.
const (
	verifiedBits  = 11
	maxVerified   = 1 << verifiedBits
	verifiedGroup = 64
)

// slotOf hashes the numbers of pages, which often have a common factor.
func slotOf(number int64) uint64 {
	return uint64(number) * 0x9e3779b97f4a7c15 >> (64 - verifiedBits) // 2^64 by the golden ratio
}

// key is what is kept of an entry.
func (e entry) key() uint64 { return uint64(e.generation)<<32 | uint64(e.sum) }

func (v *verified) has(q axial.Number, e entry) bool {
	number := int64(q) / pageEntries
	at := slotOf(number)
	group := v[at/verifiedGroup].Load()
	if group == nil {
		return false
	}
	p := group[at%verifiedGroup].Load()
	return p != nil && p.number == number && p.keys[q%pageEntries].Load() == e.key()
}

// slot returns the slot of a page.
func (v *verified) slot(number int64) *verifiedSlot {
	at := slotOf(number)
	group := &v[at/verifiedGroup]
	for group.Load() == nil {
		group.CompareAndSwap(nil, new([verifiedGroup]verifiedSlot))
	}
	return &group.Load()[at%verifiedGroup]
}

// forget forgets all.
func (v *verified) forget() {
	for i := range v {
		v[i].Store(nil)
	}
}

func (v *verified) add(q axial.Number, e entry) {
	number := int64(q) / pageEntries
	slot := v.slot(number)
	p := slot.Load()
	for p == nil || p.number != number {
		fresh := &verifiedPage{number: number}
		if slot.CompareAndSwap(p, fresh) {
			p = fresh
		} else {
			p = slot.Load()
		}
	}
	p.keys[q%pageEntries].Store(e.key())
}
