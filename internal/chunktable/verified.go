package chunktable

import (
	"sync/atomic"

	"drx/axial"
)

// A VerifiedSet is a set of entries that agree with the bytes of their chunks in the file: this
// process has checked the chunk, or written it. Any other process that writes the chunk changes its
// entry, which removes it from the set without a message.
//
// It is a direct-mapped table of pages: a newer page evicts an older one. Its groups of slots are
// allocated when they are first used, as most arrays use few.
type VerifiedSet [maxVerified / verifiedGroup]atomic.Pointer[[verifiedGroup]verifiedSlot]

// A verifiedSlot holds a page, or nil.
type verifiedSlot = atomic.Pointer[verifiedPage]

// A verifiedPage has the entries of the chunks of one page of the table.
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

// slotOf hashes the number of a page: numbers in use often have a common factor.
func slotOf(number int64) uint64 {
	return uint64(number) * 0x9e3779b97f4a7c15 >> (64 - verifiedBits) // 2^64 by the golden ratio
}

// key returns the part of an entry that the set keeps.
func (e Entry) key() uint64 { return uint64(e.Generation)<<32 | uint64(e.Sum) }

// Has reports whether the entry of chunk q is in the set.
func (v *VerifiedSet) Has(q axial.Number, e Entry) bool {
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
func (v *VerifiedSet) slot(number int64) *verifiedSlot {
	at := slotOf(number)
	group := &v[at/verifiedGroup]
	for group.Load() == nil {
		group.CompareAndSwap(nil, new([verifiedGroup]verifiedSlot))
	}
	return &group.Load()[at%verifiedGroup]
}

// Forget empties the set.
func (v *VerifiedSet) Forget() {
	for i := range v {
		v[i].Store(nil)
	}
}

// Add adds the entry of chunk q to the set.
func (v *VerifiedSet) Add(q axial.Number, e Entry) {
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
