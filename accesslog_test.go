package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"drx/dtype"
	"drx/nd"
)

// readCounts reads a log file as a map from operation and box to count.
func readCounts(t *testing.T, name string) map[string]int64 {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts, err := ReadAccessLog(f)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]int64{}
	for _, c := range counts {
		m[fmt.Sprint(c.Op, c.Box)] += c.Count
	}
	return m
}

func TestAccessLogCounts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.access")
	l := newAccessLog(name)
	for range 3 {
		l.section("read", nd.Sec(nd.Span(0, 1), nd.Span(-5, 7)))
	}
	l.section("fill", nd.Sec(nd.Span(4, 6), nd.Span(0, 3)))
	l.section("write", nd.Sec(nd.Span(0, 2), nd.Span(2, 5)))
	l.section("read", nd.Sec(nd.Span(0, 10).By(4), nd.At(3))) // indices 0 4 8
	l.section("read", nd.Sec(nd.Span(0, 0), nd.At(3)))        // nothing
	l.element("at", 2)
	l.element("set", 2)
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"read[1 12]": 3, "write[2 3]": 2, "read[9 1]": 1, "read[1 1]": 1, "write[1 1]": 1}
	if got := readCounts(t, name); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	text, err := os.ReadFile(name)
	if first, _, _ := strings.Cut(string(text), "\n"); err != nil || first != `{"op":"read","box":[1,1],"count":1}` {
		t.Errorf("first line %s, %v", first, err)
	}
}

// A second program appends; nothing is written twice.
func TestAccessLogAppends(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.access")
	for range 2 {
		l := newAccessLog(name)
		l.element("at", 1)
		l.tick()
		l.tick()
		l.element("at", 1)
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
		l.tick() // a timer that was late
	}
	if got := readCounts(t, name); got["read[1]"] != 4 {
		t.Errorf("%v, want 4", got)
	}
}

func TestNoAccessLog(t *testing.T) {
	l := newAccessLog("")
	if l != nil {
		t.Fatal("a log without a name")
	}
	l.section("read", nd.Sec(nd.At(1)))
	l.element("at", 1)
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { l.element("at", 3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Goroutines count together, more shapes than memory holds, with the clock ticking.
func TestAccessLogConcurrently(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.access")
	l := newAccessLog(name)
	var wg sync.WaitGroup
	const goroutines, each, shapes = 4, 6000, accessShapes + 500
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				l.section("read", nd.Sec(nd.Span(0, 1+(i*7+g)%shapes), nd.At(g)))
				if i%2000 == 0 {
					l.tick()
				}
			}
		})
	}
	wg.Wait()
	if l.n > accessShapes {
		t.Errorf("%d shapes in memory", l.n)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	total, got := int64(0), readCounts(t, name)
	for _, n := range got {
		total += n
	}
	if total != goroutines*each || len(got) != shapes {
		t.Errorf("%d accesses of %d shapes, want %d of %d", total, len(got), goroutines*each, shapes)
	}
}

// A log that cannot be written fails nothing before close, which tells; what was kept in
// memory is written when it can be.
func TestAccessLogErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	name := filepath.Join(dir, "a.access")
	l := newAccessLog(name)
	l.element("at", 1)
	l.tick()
	if err := l.close(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("close: %v", err)
	}
	kept := newAccessLog(name)
	kept.element("at", 1)
	kept.tick()
	lost := newAccessLog(name)
	for n := range accessShapes + 1 {
		lost.section("read", nd.Sec(nd.Span(0, n+1)))
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := kept.close(); err != nil {
		t.Error(err)
	}
	if err := lost.close(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("close after counts were lost: %v", err)
	}
	if got := readCounts(t, name); got["read[1]"] != 1 || got[fmt.Sprintf("read[%d]", accessShapes+1)] != 1 {
		t.Errorf("%v", got)
	}
}

// A full disk leaves whole lines.
func TestAccessLogFullDisk(t *testing.T) {
	l := newAccessLog("/dev/full")
	l.element("at", 1)
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	if err := l.close(); err == nil || !strings.HasPrefix(err.Error(), "access log: ") {
		t.Errorf("close: %v", err)
	}
}

func TestReadAccessLog(t *testing.T) {
	counts, err := ReadAccessLog(strings.NewReader(`{"op":"read","box":[1,5],"count":2}

{"op":"write","box":[1,5],"count":1}
{"op":"read","box":[1,5],"count":3}
{"op":"read","box":[1,5,1],"count":3}`))
	want := []AccessCount{{"read", []int{1, 5}, 5}, {"write", []int{1, 5}, 1}, {"read", []int{1, 5, 1}, 3}}
	if err != nil || !reflect.DeepEqual(counts, want) {
		t.Errorf("%v, %v", counts, err)
	}
	for text, want := range map[string]error{
		`{"op":"read","box":[1],"count":0}`:       ErrCorrupt,
		`{"op":"at","box":[1],"count":1}`:         ErrCorrupt,
		`{"op":"read","box":[],"count":1}`:        ErrCorrupt,
		`{"op":"read","box":[0],"count":1}`:       ErrCorrupt,
		`{"op":"read","box":[1],"count":1} {}`:    ErrCorrupt,
		`{"op":"read","box":[1],"count":1,"x":1}`: ErrCorrupt,
		`{"op":"read","box":[1]`:                  ErrCorrupt,
		"{\"op\":\"read\",\"box\":[1],\"count\":9223372036854775807}\n{\"op\":\"read\",\"box\":[1],\"count\":1}": ErrOverflow,
	} {
		if _, err := ReadAccessLog(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever is read can be written and read again.
func FuzzReadAccessLog(f *testing.F) {
	f.Add(`{"op":"read","box":[1,512,512],"count":1000}` + "\n" + `{"op":"write","box":[1],"count":1}`)
	f.Add(`{"op":"read","box":[1],"count":9223372036854775807}`)
	f.Fuzz(func(t *testing.T, text string) {
		counts, err := ReadAccessLog(strings.NewReader(text))
		if err != nil {
			return
		}
		var again strings.Builder
		for _, c := range counts {
			fmt.Fprintf(&again, "{\"op\":%q,\"box\":%s,\"count\":%d}\n", c.Op, strings.ReplaceAll(fmt.Sprint(c.Box), " ", ","), c.Count)
		}
		if second, err := ReadAccessLog(strings.NewReader(again.String())); err != nil || !reflect.DeepEqual(second, counts) {
			t.Errorf("%v, then %v, %v", counts, second, err)
		}
	})
}

// An access is to cost less than 100 ns when it is counted and nothing when it is not.
func BenchmarkAccessLog(b *testing.B) {
	for _, rank := range []int{3, 7} {
		sec := make(nd.Section, rank)
		for d := range sec {
			sec[d] = nd.Range{Lo: d, Hi: 100, Step: 1}
		}
		for name, l := range map[string]*accessLog{"off": nil, "on": newAccessLog(filepath.Join(b.TempDir(), "a"))} {
			b.Run(fmt.Sprintf("rank%d/%s", rank, name), func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						l.section("read", sec)
					}
				})
			})
			if l != nil {
				l.timer.Reset(time.Hour)
			}
		}
	}
}

// What is read from and written to an array is counted from its opening to its closing.
func TestAccessLogOfAnArray(t *testing.T) {
	dir := t.TempDir()
	name, file := filepath.Join(dir, "a.access"), filepath.Join(dir, "a")
	a, err := Create(file, Spec{DType: dtype.Int8, Shape: []int{4, 6}, Options: Options{AccessLog: name}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(a, nil, int8(1)), Set(a, int8(2), 1, 1), a.Compact(t.Context(), nil), a.Close()); err != nil {
		t.Fatal(err)
	}
	if a, err = Open(file, Options{AccessLog: name}); err != nil {
		t.Fatal(err)
	}
	_, atErr := At[int8](a, 1, 1)
	_, readErr := Read[int8](a, nd.Sec(nd.At(2), nd.All))
	if err := errors.Join(atErr, readErr, a.Close()); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"write[4 6]": 1, "write[1 1]": 1, "read[1 1]": 1, "read[1 6]": 1}
	if got := readCounts(t, name); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
