package mapped

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"drx/internal/vfs"
)

// recorder is a file that records which of its units were dropped.
type recorder struct {
	vfs.File
	forgotten map[int64]bool // by unitKey
}

type recordedMapping struct {
	vfs.Mapping
	forgot func(off int)
}

// unitKey returns a number that identifies unit u of the mapping of offset off. A unit in the tail
// of a mapping differs from the same unit in the next mapping.
func unitKey(off int64, u int64) int64 { return off>>regionBits<<40 + u }

func (r *recorder) Map(off int64, n int) (vfs.Mapping, error) {
	m, err := r.File.Map(off, n)
	if err != nil {
		return nil, err
	}
	return recordedMapping{m, func(at int) { r.forgotten[unitKey(off, int64(at)/unit)] = true }}, nil
}

func (m recordedMapping) Forget(off, n int) error {
	m.forgot(off)
	return m.Mapping.Forget(off, n)
}

// checkQueues checks invariants 1 and 2 of the package comment.
func checkQueues(t rapid.TB, f *File) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	queued := map[entry]bool{}
	for _, queue := range [][]entry{f.active, f.expiring} {
		for _, e := range queue {
			if queued[e] {
				t.Fatalf("unit %d is queued twice", e.unit)
			}
			queued[e] = true
		}
	}
	if n := f.resident.Load(); n != int64(len(queued)) || n > f.budget.Load() {
		t.Fatalf("%d units counted, %d queued, budget %d", n, len(queued), f.budget.Load())
	}
	for _, r := range *f.table.Load() {
		for u := int64(0); r != nil && u < int64(len(r.units)); u++ {
			if state := r.units[u].Load(); (state != absent) != queued[entry{r, u}] {
				t.Fatalf("unit %d is in state %d, queued: %v", u, state, queued[entry{r, u}])
			}
		}
	}
}

// units returns the keys of the units in which a range of bytes lies.
func units(off int64, n int) []int64 {
	var all []int64
	at := off & (regionSize - 1)
	for u := at / unit; u <= (at+int64(n)-1)/unit; u++ {
		all = append(all, unitKey(off, u))
	}
	return all
}

// Random histories are compared with a set of the units that were returned and not dropped.
func TestResidencyAgainstASet(t *testing.T) {
	plain, _ := newFile(t, 1, 0)
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.Int64Range(0, 12).Draw(t, "budget") * unit
		slot := rapid.SampledFrom([]int64{1000, unit, 3*unit + 5}).Draw(t, "slot")
		file := &recorder{plain, nil}
		f := New(file, slot, budget)
		defer f.Close()
		resident := map[int64]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			near := rapid.SampledFrom([]int64{0, 0, regionSize - 4*unit}).Draw(t, "near")
			off := near + rapid.Int64Range(0, 20*unit).Draw(t, "off")
			n := rapid.IntRange(1, int(f.maxBytes.Load())).Draw(t, "n")
			more := 0
			for _, u := range units(off, n) {
				if !resident[u] {
					more++
				}
			}
			fits := more == 0 || int64(len(resident)+more) <= f.budget.Load()
			if got := f.Fits(off, n); got != fits {
				t.Fatalf("space for %d bytes at %d: %v, want %v", n, off, got, fits)
			}
			file.forgotten = map[int64]bool{}
			if _, err := f.Bytes(off, n); err != nil {
				t.Fatal(err)
			}
			if fits && len(file.forgotten) > 0 {
				t.Fatalf("%d units forgotten, there was space", len(file.forgotten))
			}
			for u := range file.forgotten {
				if !resident[u] {
					t.Fatalf("unit %#x forgotten, it was not resident", u)
				}
				delete(resident, u)
			}
			for _, u := range units(off, n) {
				if f.mappedRegion(off).units[u&(1<<40-1)].Load() != inUse {
					t.Fatalf("unit %#x handed out and forgotten", u)
				}
				resident[u] = true
			}
			if f.Resident() != int64(len(resident))*unit {
				t.Fatalf("%d bytes resident, want %d units", f.Resident(), len(resident))
			}
		}
		checkQueues(t, f)
	})
}

// A unit that is requested all the time stays resident while others are requested once.
func TestUnitsInUseStay(t *testing.T) {
	plain, _ := newFile(t, 1, 0)
	file := &recorder{plain, map[int64]bool{}}
	f := New(file, unit, 16*unit)
	defer f.Close()
	for u := range int64(500) {
		for _, off := range []int64{u * unit, 0} {
			if _, err := f.Bytes(off, unit); err != nil {
				t.Fatal(err)
			}
		}
	}
	if file.forgotten[0] {
		t.Error("the unit in use was forgotten")
	}
	if n := len(file.forgotten); n != 500-16 {
		t.Errorf("%d units forgotten, want %d", n, 500-16)
	}
	checkQueues(t, f)
}

// Units that several goroutines request at the same time are counted once.
func TestResidencyOfManyGoroutines(t *testing.T) {
	_, f := newFile(t, 3*unit, 16*unit)
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(2, g))
			for range 3000 {
				off := rng.Int64N(40 * unit)
				if _, err := f.Bytes(off, 1+rng.IntN(3*unit)); err != nil {
					t.Error(err)
				}
				f.Fits(off, unit)
			}
		})
	}
	wg.Wait()
	checkQueues(t, f)
}

// statusKiB returns a line of /proc/self/status, in KiB. It skips the test if there is none.
func statusKiB(t testing.TB, line string) int64 {
	t.Helper()
	status, err := os.Open("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	defer status.Close()
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		var n int64
		if rest, ok := strings.CutPrefix(lines.Text(), line+":"); ok {
			if _, err := fmt.Sscan(rest, &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Skip("no line ", line)
	return 0
}

// The system confirms that a file of 1 GiB, which two goroutines read sequentially and others at
// random, stays within a budget of 64 MiB.
func TestResidentMemoryIsBounded(t *testing.T) {
	const size, slot, budget = 1 << 30, 300_000, 64 << 20
	file, f := newFile(t, slot, budget)
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	files := func() int64 { return statusKiB(t, "RssFile") + statusKiB(t, "RssShmem") } // tmpfs
	before, tables := files(), statusKiB(t, "VmPTE")
	largest := int64(0)
	var mu sync.Mutex
	read := func(off int64) {
		b, err := f.Bytes(off, slot)
		if err != nil {
			t.Error(err)
			return
		}
		if err := Guard(func() error {
			for i := 0; i < len(b); i += 4096 {
				sink.Add(int64(b[i]))
			}
			return nil
		}, f); err != nil {
			t.Error(err)
		}
	}
	sample := func() {
		mu.Lock()
		defer mu.Unlock()
		largest = max(largest, files()-before)
	}
	var wg sync.WaitGroup
	for g := range int64(2) {
		wg.Go(func() {
			for off := g * slot; off+slot <= size; off += 2 * slot {
				read(off)
				if off/slot%100 < 2 {
					sample()
				}
			}
		})
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(3, uint64(g)))
			for range 300 {
				read(rng.Int64N(size/slot) * slot)
			}
		})
	}
	wg.Wait()
	sample()
	t.Logf("largest resident %d KiB, page tables %d KiB more", largest, statusKiB(t, "VmPTE")-tables)
	if largest < budget>>10/4 || largest > budget>>10*9/8 { // allow for units being dropped and for code
		t.Errorf("%d KiB of files resident, the budget is %d", largest, budget>>10)
	}
	if f.Resident() > budget {
		t.Errorf("%d bytes counted, the budget is %d", f.Resident(), budget)
	}
}

// Ready returns the same as Bytes for units that are counted as in use, and counts no unit.
func TestReady(t *testing.T) {
	file, _ := newFile(t, 1, 0)
	mustWrite(t, file, []byte("a file of two units"), unit-8)
	mustWrite(t, file, []byte{1}, 4*unit)
	f := New(file, unit, 16*unit)
	defer f.Close()
	if f.Ready(0, 8) != nil {
		t.Error("bytes of a file that is not mapped")
	}
	if _, err := f.Bytes(unit-8, 16); err != nil {
		t.Fatal(err)
	}
	if got := string(f.Ready(unit-8, 16)); got != "a file of two un" {
		t.Errorf("%q", got)
	}
	for _, off := range []int64{2 * unit, 2*unit - 8, -16, 1 << 40, end} {
		if f.Ready(off, 16) != nil {
			t.Errorf("bytes at %d, which is not in use", off)
		}
	}
	if f.Ready(0, 0) != nil || f.Ready(0, -1) != nil || f.Ready(0, math.MaxInt) != nil {
		t.Error("bytes of a length that is none")
	}
	if got := f.Resident(); got != 2*unit {
		t.Errorf("%d bytes resident, want two units", got)
	}
}
