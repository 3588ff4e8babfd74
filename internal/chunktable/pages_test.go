package chunktable

import (
	"testing"

	"drx/axial"
	"drx/internal/vfs"
)

// newTable returns a table without a presence map, for chunks of 32 bytes.
func newTable(t *testing.T) *Table {
	t.Helper()
	fsys := vfs.NewMem()
	data, err := fsys.Create("a.xta")
	if err != nil {
		t.Fatal(err)
	}
	file, err := fsys.Create("a.xck")
	if err != nil {
		t.Fatal(err)
	}
	return New(file, data, 32, nil)
}

// More pages than fit in memory are changed, while others evict them.
func TestMorePagesThanFit(t *testing.T) {
	const pages = maxPages + maxPages/2
	table := newTable(t)
	entry := func(q axial.Number, v uint32) Entry { return NewEntry(uint32(q)*3+v, 32, int64(v)) }
	put := func(q axial.Number, v uint32) {
		t.Helper()
		if err := table.Put(q, entry(q, v)); err != nil {
			t.Fatal(err)
		}
	}
	for v := range uint32(2) {
		for n := range axial.Number(pages) {
			put(n*pageEntries+n%pageEntries, v)
			put(n/2*pageEntries+255, v) // far behind, in memory or not
			if held := len(table.pages); held > maxPages {
				t.Fatalf("%d pages in memory", held)
			}
		}
	}
	check := func(table *Table) {
		t.Helper()
		for n := range axial.Number(pages) {
			q := n*pageEntries + n%pageEntries
			if e, err := table.Get(q); err != nil || e != entry(q, 1) {
				t.Fatalf("chunk %d: %+v, %v", q, e, err)
			}
		}
		var written int64
		err := table.Each(pages*pageEntries, func(_ axial.Number, err error) error { written++; return err })
		if want := int64(pages + pages/2 - pages/2/256); err != nil || written != want {
			t.Errorf("%d written, %v, want %d", written, err, want)
		}
	}
	check(table)
	if err := table.Sync(); err != nil {
		t.Fatal(err)
	}
	check(New(table.file, table.data, table.slot, nil))
}
