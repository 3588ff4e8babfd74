package drx_test

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"drx/internal/enumtest"
)

// damages are the damages of a block of n bytes of a file: it reads as zeros, as one commit
// earlier, as the next block, or both are exchanged. Each function returns the bytes from that
// offset on, or nil if the damage does not exist there.
var damages = []struct {
	name string
	do   func(now, before []byte, at, n int) []byte
}{
	{"zeros", func(now, _ []byte, at, n int) []byte { return make([]byte, min(n, len(now)-at)) }},
	{"before", func(now, before []byte, at, n int) []byte {
		if at >= len(before) {
			return nil
		}
		b := make([]byte, min(n, len(now)-at))
		copy(b, before[at:])
		return b
	}},
	{"another", func(now, _ []byte, at, n int) []byte {
		if at+2*n > len(now) {
			return nil
		}
		return now[at+n : at+2*n]
	}},
	{"exchanged", func(now, _ []byte, at, n int) []byte {
		if at+2*n > len(now) {
			return nil
		}
		return slices.Concat(now[at+n:at+2*n], now[at:at+n])
	}},
}

// A damage is a change of a file: its bytes from an offset on.
type damage struct {
	what string // one of damages
	file string
	at   int
	now  []byte
}

// blockSizes are those of sectors, of pages, and of file systems.
var blockSizes = []int{512, 4096, 65536}

// A damageCount has the number of states of a cell that were tried, and of each result.
type damageCount struct{ states, right, refused, older int }

// A damageCell is a table of counts: a row for each size of blocks, a column for each damage.
type damageCell struct {
	t     *testing.T
	h     *damageHistory
	kill  bool
	all   *enumtest.Counter
	count map[string]*damageCount
	wrong int
	last  *damageSpecimen // the specimen tried last
}

// TestDamageOfBlocks damages each block of each file of arrays in all forms, closed after different
// last commits, and after a writer was killed in them. Every reader or writer finds what was
// committed, or gets an error, or a note of a loss: never fill values in place of elements, a
// missing array, or a mixture of two commits.
func TestDamageOfBlocks(t *testing.T) {
	enumtest.Single(t)
	keepDisk(t)
	for _, f := range damageForms {
		for _, z := range damageSizes {
			before, err := prepareDamage(f, z)
			if err != nil {
				t.Fatal(err)
			}
			for step, s := range damageSteps {
				for _, killed := range []bool{false, true} {
					name := strings.Join([]string{f.name, z.name, s.name, map[bool]string{false: "closed", true: "killed"}[killed]}, ",")
					t.Run(name, func(t *testing.T) { testDamageCell(t, f, z, before, step, killed) })
				}
			}
		}
	}
}

// damageStride is the distance of the states that are tried: primes, so that every damage is tried
// for every size. Files with several arrays have more states, and each takes longer.
func damageStride(f damageForm, killed bool) int {
	several := f.folder != "."
	switch {
	case os.Getenv("DRX_SOAK") != "" && killed && several:
		return 3
	case os.Getenv("DRX_SOAK") != "":
		return 1
	case enumtest.Race:
		return 97
	case killed && several:
		return 997
	case killed:
		return 97
	case several:
		return 13
	}
	return 7
}

func testDamageCell(t *testing.T, f damageForm, z damageSize, before map[string][]byte, step int, killed bool) {
	h, err := newDamageHistory(f, z, before, step)
	if err != nil {
		t.Fatal(err)
	}
	c := &damageCell{t: t, h: h, kill: killed, all: enumtest.Of(t), count: map[string]*damageCount{}}
	c.all.Every(damageStride(f, killed))
	if !killed {
		s, _, err := h.specimen(-1)
		if err != nil {
			t.Fatal(err)
		}
		c.try(s)
	}
	var last map[string][]byte
	for kill, died := 1, killed; died; kill += c.kills() {
		s, was, err := h.specimen(kill)
		if err != nil {
			t.Fatalf("killed at operation %d: %v", kill, err)
		}
		if died = was; died && !maps.EqualFunc(s.files, last, bytes.Equal) {
			last = s.files
			c.try(s)
		}
	}
	c.report()
}

// kills is the distance between the numbers of half changes after which writers are killed. It is
// odd.
func (c *damageCell) kills() int {
	if enumtest.Race {
		return 15
	}
	return 1
}

// try tries all damages of a specimen.
func (c *damageCell) try(s *damageSpecimen) {
	for _, n := range blockSizes {
		for _, d := range damages {
			count := c.counter(n, d.name)
			for _, file := range slices.Sorted(maps.Keys(s.files)) {
				content := s.files[file]
				for at := range s.blocks(file, n) {
					now := d.do(content, s.before[file], at, n)
					if now == nil || bytes.Equal(now, content[at:at+len(now)]) || !c.all.Try() {
						continue
					}
					c.judge(s, damage{d.name, file, at, now}, count, fmt.Sprintf("%s: block of %d bytes at %d: %s", file, n, at, d.name))
				}
			}
		}
	}
}

// blocks yields the offsets of the blocks of a file that have, or had, nonzero bytes, and of the
// blocks next to these.
func (s *damageSpecimen) blocks(file string, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		pages := slices.Concat(s.used[file], usedPages(s.before[file]))
		slices.Sort(pages)
		next := 0
		for _, page := range slices.Compact(pages) {
			for at := max(next, (page-n)/n*n); at < min(page+damagePage, len(s.files[file])); at += n {
				if next = at + n; !yield(at) {
					return
				}
			}
		}
	}
}

func (c *damageCell) judge(s *damageSpecimen, d damage, count *damageCount, what string) {
	if c.last != s { // without damage everything must be right
		if _, err := s.judge(damage{}, damageWays[:2]); err != nil {
			c.t.Fatalf("undamaged: %v", err)
		}
		c.last = s
	}
	v, err := s.judge(d, damageWays)
	count.states++
	switch {
	case err != nil:
		if c.wrong++; c.wrong <= 10 {
			c.t.Errorf("%s: %v", what, err)
		}
	case v.refused:
		count.refused++
	case v.older:
		count.older++
	default:
		count.right++
	}
}

func (c *damageCell) counter(n int, damage string) *damageCount {
	key := fmt.Sprintf("%5d %s", n, damage)
	if c.count[key] == nil {
		c.count[key] = &damageCount{}
	}
	return c.count[key]
}

// report logs the counts.
func (c *damageCell) report() {
	for _, key := range slices.Sorted(maps.Keys(c.count)) {
		n := c.count[key]
		c.t.Logf("%-16s %6d states: %6d right, %6d refused, %6d of the commit before", key, n.states, n.right, n.refused, n.older)
	}
	if c.wrong > 0 {
		c.t.Errorf("%d states are wrong", c.wrong)
	}
	c.all.Want(map[bool]int{false: 40, true: 800 / c.kills()}[c.kill])
}
