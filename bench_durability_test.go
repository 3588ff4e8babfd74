package drx

import (
	"path/filepath"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/crc32c"
	"drx/nd"
)

const benchChunk = 1 << 20

// A timedArray is one of several arrays to which the same operations are applied, with the time
// that they took.
type timedArray struct {
	a    *Array
	took time.Duration
}

func newTimedArray(b *testing.B, d Durability, chunks int) *timedArray {
	b.Helper()
	a, err := Create(filepath.Join(b.TempDir(), "a"), Spec{
		DType: dtype.Uint8, Shape: []int{chunks, benchChunk}, ChunkShape: []int{1, benchChunk},
		Options: Options{Durability: d, Cache: 1},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = a.Close() })
	l := &timedArray{a: a}
	if chunks > 0 {
		l.time(b, func() error { return Fill(a, nil, uint8(1)) }, a.Sync)
		l.took = 0
	}
	return l
}

// time runs the steps and adds their time.
func (l *timedArray) time(b *testing.B, steps ...func() error) {
	b.Helper()
	start := time.Now()
	for _, step := range steps {
		if err := step(); err != nil {
			b.Fatal(err)
		}
	}
	l.took += time.Since(start)
}

func (l *timedArray) ms(b *testing.B) float64 { return float64(l.took.Milliseconds()) / float64(b.N) }

// BenchmarkAppendDurable appends a chunk of 1 MiB and commits it, alternating between full
// durability and none.
func BenchmarkAppendDurable(b *testing.B) {
	full, none := newTimedArray(b, DurabilityFull, 0), newTimedArray(b, DurabilityNone, 0)
	row := make([]byte, benchChunk)
	for b.Loop() {
		for _, l := range []*timedArray{full, none} {
			l.time(b, func() error {
				added, err := l.a.Extend(0, 1)
				if err != nil {
					return err
				}
				return Write(l.a, added, row)
			}, l.a.Sync)
		}
	}
	b.ReportMetric(full.ms(b), "ms-full/op")
	b.ReportMetric(none.ms(b), "ms-none/op")
	b.ReportMetric(float64(full.took)/float64(none.took), "full/none")
}

// BenchmarkOverwriteDurable overwrites four committed chunks of 1 MiB and commits them, alternating
// between all durabilities.
func BenchmarkOverwriteDurable(b *testing.B) {
	const chunks = 4
	full, noJournal, none := newTimedArray(b, DurabilityFull, chunks), newTimedArray(b, DurabilityNoJournal, chunks), newTimedArray(b, DurabilityNone, chunks)
	data := make([]byte, chunks*benchChunk)
	for b.Loop() {
		data[0]++
		for _, l := range []*timedArray{full, noJournal, none} {
			l.time(b, func() error { return Write(l.a, nil, data) }, l.a.Sync)
		}
	}
	b.ReportMetric(full.ms(b), "ms-full/op")
	b.ReportMetric(noJournal.ms(b), "ms-nojournal/op")
	b.ReportMetric(none.ms(b), "ms-none/op")
	b.ReportMetric(float64(full.took)/float64(noJournal.took), "full/nojournal")
	b.ReportMetric(float64(noJournal.took)/float64(none.took), "nojournal/none")
}

// BenchmarkChecksumShare reads a section of 16 chunks of 1 MiB, none of them in memory, with
// verification, and alternately only computes the checksum of the same number of bytes.
func BenchmarkChecksumShare(b *testing.B) {
	const chunks = 16
	read := newTimedArray(b, DurabilityNone, chunks)
	sum := &timedArray{}
	buf := make([]byte, chunks*benchChunk)
	for b.Loop() {
		read.time(b, func() error { return read.a.ReadBytes(nil, buf, nd.RowMajor) })
		sum.time(b, func() error {
			for c := range chunks {
				crc32c.Sum(buf[c*benchChunk : (c+1)*benchChunk])
			}
			return nil
		})
	}
	b.ReportMetric(read.ms(b), "ms-read/op")
	b.ReportMetric(100*float64(sum.took)/float64(read.took), "checksum-%")
}
