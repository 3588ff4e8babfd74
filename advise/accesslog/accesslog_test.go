package accesslog

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

	"drx"
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
	counts, err := Read(f)
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
	l := New(name)
	for range 3 {
		l.Add(false, []int{1, 12})
	}
	l.Add(true, []int{2, 3})
	l.Add(true, []int{2, 3})
	l.Add(false, []int{9, 1})
	l.Add(false, []int{1, 1})
	l.Add(true, []int{1, 1})
	if err := l.Close(); err != nil {
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

// A second program appends to the log; no count is written twice.
func TestAccessLogAppends(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.access")
	for range 2 {
		l := New(name)
		l.Add(false, []int{1})
		l.writePeriodically()
		l.writePeriodically()
		l.Add(false, []int{1})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l.writePeriodically() // a timer that was late
	}
	if got := readCounts(t, name); got["read[1]"] != 4 {
		t.Errorf("%v, want 4", got)
	}
}

// Goroutines count at the same time, more shapes than memory holds, while the timer writes.
func TestAccessLogConcurrently(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.access")
	l := New(name)
	var wg sync.WaitGroup
	const goroutines, each, shapes = 4, 6000, maxShapes + 500
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				l.Add(false, []int{1 + (i*7+g)%shapes, 1})
				if i%2000 == 0 {
					l.writePeriodically()
				}
			}
		})
	}
	wg.Wait()
	if l.shapeCount > maxShapes {
		t.Errorf("%d shapes in memory", l.shapeCount)
	}
	if err := l.Close(); err != nil {
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

// A log that cannot be written causes no error before Close returns it. Counts that were kept in
// memory are written as soon as that is possible.
func TestAccessLogErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	name := filepath.Join(dir, "a.access")
	l := New(name)
	l.Add(false, []int{1})
	l.writePeriodically()
	if err := l.Close(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("close: %v", err)
	}
	kept := New(name)
	kept.Add(false, []int{1})
	kept.writePeriodically()
	lost := New(name)
	for n := range maxShapes + 1 {
		lost.Add(false, []int{n + 1})
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
	if err := lost.Close(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("close after counts were lost: %v", err)
	}
	if got := readCounts(t, name); got["read[1]"] != 1 || got[fmt.Sprintf("read[%d]", maxShapes+1)] != 1 {
		t.Errorf("%v", got)
	}
}

// A full disk leaves only whole lines in the log.
func TestAccessLogFullDisk(t *testing.T) {
	l := New("/dev/full")
	l.Add(false, []int{1})
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	if err := l.Close(); err == nil || !strings.HasPrefix(err.Error(), "access log: ") {
		t.Errorf("close: %v", err)
	}
}

func TestRead(t *testing.T) {
	counts, err := Read(strings.NewReader(`{"op":"read","box":[1,5],"count":2}

{"op":"write","box":[1,5],"count":1}
{"op":"read","box":[1,5],"count":3}
{"op":"read","box":[1,5,1],"count":3}`))
	want := []Entry{{"read", []int{1, 5}, 5}, {"write", []int{1, 5}, 1}, {"read", []int{1, 5, 1}, 3}}
	if err != nil || !reflect.DeepEqual(counts, want) {
		t.Errorf("%v, %v", counts, err)
	}
	for text, want := range map[string]error{
		`{"op":"read","box":[1],"count":0}`:       ErrSyntax,
		`{"op":"at","box":[1],"count":1}`:         ErrSyntax,
		`{"op":"read","box":[],"count":1}`:        ErrSyntax,
		`{"op":"read","box":[0],"count":1}`:       ErrSyntax,
		`{"op":"read","box":[1],"count":1} {}`:    ErrSyntax,
		`{"op":"read","box":[1],"count":1,"x":1}`: ErrSyntax,
		`{"op":"read","box":[1]`:                  ErrSyntax,
		"{\"op\":\"read\",\"box\":[1],\"count\":9223372036854775807}\n{\"op\":\"read\",\"box\":[1],\"count\":1}": nd.ErrOverflow,
	} {
		if _, err := Read(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Entries that were read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add(`{"op":"read","box":[1,512,512],"count":1000}` + "\n" + `{"op":"write","box":[1],"count":1}`)
	f.Add(`{"op":"read","box":[1],"count":9223372036854775807}`)
	f.Fuzz(func(t *testing.T, text string) {
		counts, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var again strings.Builder
		for _, c := range counts {
			fmt.Fprintf(&again, "{\"op\":%q,\"box\":%s,\"count\":%d}\n", c.Op, strings.ReplaceAll(fmt.Sprint(c.Box), " ", ","), c.Count)
		}
		if second, err := Read(strings.NewReader(again.String())); err != nil || !reflect.DeepEqual(second, counts) {
			t.Errorf("%v, then %v, %v", counts, second, err)
		}
	})
}

// BenchmarkAdd measures counting one access, which costs less than 100 ns.
func BenchmarkAdd(b *testing.B) {
	for _, rank := range []int{3, 7} {
		box := make([]int, rank)
		for d := range box {
			box[d] = 100 - d
		}
		b.Run(fmt.Sprintf("rank%d", rank), func(b *testing.B) {
			b.ReportAllocs()
			l := New(filepath.Join(b.TempDir(), "a"))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					l.Add(false, box)
				}
			})
			l.timer.Reset(time.Hour)
		})
	}
}

// All reads and writes of an array are counted from its opening to its closing.
func TestAccessLogOfAnArray(t *testing.T) {
	dir := t.TempDir()
	name, file := filepath.Join(dir, "a.access"), filepath.Join(dir, "a")
	log := New(name)
	o := drx.Options{Observe: log.Add}
	a, err := drx.Create(file, drx.Spec{DType: dtype.Int8, Shape: []int{4, 6}, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(drx.Fill(a, nil, int8(1)), drx.Set(a, int8(2), 1, 1), a.Compact(t.Context(), nil), a.Close()); err != nil {
		t.Fatal(err)
	}
	if a, err = drx.Open(file, o); err != nil {
		t.Fatal(err)
	}
	_, atErr := drx.At[int8](a, 1, 1)
	_, readErr := drx.Read[int8](a, nd.Sec(nd.At(2), nd.All))
	_, noneErr := drx.Read[int8](a, nd.Sec(nd.Span(0, 0), nd.All))
	if err := errors.Join(atErr, readErr, noneErr, a.Close(), log.Close()); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"write[4 6]": 1, "write[1 1]": 1, "read[1 1]": 1, "read[1 6]": 1}
	if got := readCounts(t, name); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
