package lookup

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"drx/axial"
)

// kinds are the kinds of Index that the conformance suite compares with a plain list.

var kinds = Kinds(2, 3, 4, 16, 64)

func eachKind(t *testing.T, f func(t *testing.T, k Kind)) {
	for _, k := range kinds {
		t.Run(k.Name, func(t *testing.T) { f(t, k) })
	}
}

// plain returns a record with only the fields that an Index uses; at is its key.
func plain(side axial.Side, at, number int) Record {
	return Record{Side: side, Start: key(side, at), Number: axial.Number(number)} // key is its own inverse
}

// list is the model: records in the order of their keys, searched from one end.
type list []Record

func (l list) insert(r Record) (list, bool) {
	at := 0
	for at < len(l) && l[at].Key() < r.Key() {
		at++
	}
	behind := at
	if at < len(l) && l[at].Key() == r.Key() {
		behind++
	}
	if at > 0 && l[at-1].Number > r.Number || behind < len(l) && l[behind].Number < r.Number {
		return l, false
	}
	return slices.Concat(l[:at], list{r}, l[behind:]), true
}

// last returns the last record for which beyond is false, or nil if there is none.
func (l list) last(beyond func(r *Record) bool) *Record {
	for i := len(l) - 1; i >= 0; i-- {
		if !beyond(&l[i]) {
			return &l[i]
		}
	}
	return nil
}

// agree compares an Index with the list: its walk, its size, and searches on and around all keys
// and numbers.
func agree(t rapid.TB, x Index, l list) {
	t.Helper()
	var walked list
	for r := range x.All() {
		walked = append(walked, *r)
	}
	if diff := cmp.Diff(l, walked); diff != "" || x.Len() != len(l) {
		t.Fatalf("walk of %d records (-want +got):\n%s", x.Len(), diff)
	}
	keys, numbers := []int{math.MinInt, 0, math.MaxInt}, []axial.Number{math.MinInt64, 0, math.MaxInt64}
	for i := range l {
		k, q := l[i].Key(), l[i].Number
		keys, numbers = append(keys, k-1, k, k+1), append(numbers, q-1, q, q+1)
	}
	for _, k := range keys {
		want := l.last(func(r *Record) bool { return r.Key() > k })
		if got, _ := x.Floor(k); !cmp.Equal(got, want) {
			t.Fatalf("floor of key %d is %+v, want %+v", k, got, want)
		}
		if got, ok := Lookup(x, k); ok != (want != nil && want.Key() == k) || ok && !cmp.Equal(got, want) {
			t.Fatalf("record with key %d is %+v, %v, floor %+v", k, got, ok, want)
		}
	}
	for _, q := range numbers {
		want := l.last(func(r *Record) bool { return r.Number > q })
		if got, _ := x.Inverse(q); !cmp.Equal(got, want) {
			t.Fatalf("inverse of number %d is %+v, want %+v", q, got, want)
		}
	}
	checkTree(t, x)
}

// checkTree checks invariant 2 and the links of the leaves.
func checkTree(t rapid.TB, x Index) {
	t.Helper()
	var tr *tree
	switch x := x.(type) {
	case *LLRB:
		tr = &x.tree
	case *O2:
		tr = &x.tree
	}
	if tr == nil || tr.size == 0 {
		return
	}
	if tr.isRed(tr.root) {
		t.Fatalf("red root")
	}
	var leaves []int32
	// visit returns the least record and the black height.
	var visit func(at ref) (*Record, int)
	visit = func(at ref) (*Record, int) {
		if at < 0 {
			leaves = append(leaves, int32(^at))
			records := tr.bucketOf(int32(^at))
			if len(records) == 0 || len(records) > tr.bucket {
				t.Fatalf("leaf of %d records, bucket %d", len(records), tr.bucket)
			}
			for i := range records {
				if tr.keys[int(^at)*tr.bucket+i] != records[i].Key() {
					t.Fatalf("key of record %+v is %d", records[i], tr.keys[int(^at)*tr.bucket+i])
				}
			}
			return &records[0], 0
		}
		node := tr.inner[at]
		least, left := visit(node.child[0])
		middle, right := visit(node.child[1])
		if middle.Key() != node.key || middle.Number != node.number {
			t.Fatalf("separator %d, number %d, above record %+v", node.key, node.number, middle)
		}
		if left != right {
			t.Fatalf("black heights %d and %d", left, right)
		}
		if node.red && (tr.isRed(node.child[0]) || tr.isRed(node.child[1])) {
			t.Fatalf("red below red")
		}
		if !node.red {
			left++
		}
		return least, left
	}
	visit(tr.root)
	prev := int32(-1)
	for _, l := range leaves {
		if tr.leaves[l].prev != prev || prev >= 0 && tr.leaves[prev].next != l {
			t.Fatalf("leaf %d behind %d, linked to %d", l, prev, tr.leaves[l].prev)
		}
		prev = l
	}
	if leaves[0] != 0 || tr.leaves[prev].next != -1 || len(leaves) != len(tr.leaves) {
		t.Fatalf("ends of the links, %d of %d leaves", len(leaves), len(tr.leaves))
	}
}

// Random records are inserted in random order: most fit, some replace others, some are refused.
func TestConformance(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		rapid.Check(t, func(t *rapid.T) {
			x, l := k.New(), list(nil)
			side := axial.Side(rapid.IntRange(0, 1).Draw(t, "side"))
			width := rapid.SampledFrom([]int{5, 40, 400}).Draw(t, "width")
			for range rapid.IntRange(0, 60).Draw(t, "records") {
				key := rapid.IntRange(-width, width).Draw(t, "key")
				number := key/3 + rapid.SampledFrom([]int{0, 0, 0, 0, 1, -40}).Draw(t, "off")
				r := plain(side, key, number)
				next, fits := l.insert(r)
				if err := x.Insert(r); (err == nil) != fits || err != nil && !errors.Is(err, ErrOrder) {
					t.Fatalf("insert %+v: %v, fits %v", r, err, fits)
				}
				l = next
			}
			agree(t, x, l)
			again := k.New()
			if err := InsertAll(again, x.All()); err != nil {
				t.Fatalf("rebuild: %v", err)
			}
			agree(t, again, l)
		})
	})
}

// A balanced tree must withstand these orders: ascending, descending, from the middle outwards, and
// random, at a size with many levels. The tree is checked after every record.
func TestOrders(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(1, 2))
	orders := map[string]func(i int) int{
		"ascending":  func(i int) int { return i },
		"descending": func(i int) int { return n - 1 - i },
		"outwards":   func(i int) int { return n/2 + (1-2*(i%2))*((i+1)/2) },
		"random":     func() func(int) int { p := rng.Perm(n); return func(i int) int { return p[i] } }(),
	}
	eachKind(t, func(t *testing.T, k Kind) {
		for name, order := range orders {
			x, l := k.New(), make(list, n)
			for i := range n {
				at := order(i)
				l[at] = plain(axial.High, 3*at, 7*at)
				if err := x.Insert(l[at]); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				checkTree(t, x)
			}
			agree(t, x, l)
		}
	})
}

// A table must refuse what it cannot hold, and stay unchanged; the other kinds must accept it.
func TestFarApart(t *testing.T) {
	far := []int{maxEntries, math.MaxInt, math.MinInt}
	eachKind(t, func(t *testing.T, k Kind) {
		for _, at := range far {
			x := k.New()
			l := list{plain(axial.High, 0, 5)}
			number := 9
			if at < 0 {
				number = 1
			}
			r := plain(axial.High, at, number)
			if err := x.Insert(l[0]); err != nil {
				t.Fatal(err)
			}
			err := x.Insert(r)
			if _, isTable := x.(*Table); isTable {
				if !errors.Is(err, ErrSparse) {
					t.Errorf("record at %d in a table: %v", at, err)
				}
			} else if l, _ = l.insert(r); err != nil {
				t.Errorf("record at %d: %v", at, err)
			}
			agree(t, x, l)
		}
	})
}

// An Index without records must find nothing, also the zero O2.
func TestEmpty(t *testing.T) {
	for _, k := range append(kinds, Kind{"zero o2", func() Index { return new(O2) }}) {
		agree(t, k.New(), nil)
	}
	x, l := new(O2), list(nil)
	for i := range 3 * DefaultBucket {
		l = append(l, plain(axial.High, i, i))
		if err := x.Insert(l[i]); err != nil {
			t.Fatal(err)
		}
	}
	agree(t, x, l)
}

// A walk must stop when its reader stops.
func TestWalkStops(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		x := k.New()
		for i := range 100 {
			if err := x.Insert(plain(axial.High, i, i)); err != nil {
				t.Fatal(err)
			}
		}
		visited := 0
		for r := range x.All() {
			if visited++; r.Start == 41 {
				break
			}
		}
		if visited != 42 {
			t.Errorf("%d records visited, want 42", visited)
		}
	})
}

// Bytes must be within a tenth of what the runtime reports as held.
func TestBytes(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		for _, rank := range []int{2, 5} {
			var x Index
			got := allocated(func() {
				x = k.New()
				for i := range 3000 {
					lo, hi := make([]int, rank), make([]int, rank)
					for d := range hi {
						hi[d] = 1
					}
					hi[0] = i
					if err := x.Insert(newRecord(0, axial.High, i, axial.Number(i), lo, hi)); err != nil {
						t.Fatal(err)
					}
				}
			})
			if want := x.Bytes(); got < want*9/10 || got > want*11/10 {
				t.Errorf("rank %d: %d bytes, the heap grew by %d", rank, want, got)
			}
			runtime.KeepAlive(x)
		}
	})
}

// allocated returns the number of bytes by which f makes the heap grow.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int(after.HeapAlloc) - int(before.HeapAlloc)
}
