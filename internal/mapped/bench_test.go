package mapped

import (
	"fmt"
	"io"
	"testing"
)

func BenchmarkBytes(b *testing.B) {
	file, f := newFile(b, 512<<10, 256<<20)
	if err := file.Truncate(128 << 20); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		step int64
	}{{"one", 0}, {"scattered", 5 << 19}} {
		b.Run(c.name, func(b *testing.B) {
			off := int64(0)
			for b.Loop() {
				if _, err := f.Bytes(off, 512<<10); err != nil {
					b.Fatal(err)
				}
				off = (off + c.step) & (128<<20 - 1)
			}
		})
	}
}

// Every call requests a unit that is not resident, and so drops another one; then it reads some
// pages of the unit.
func BenchmarkBytesAboveTheBudget(b *testing.B) {
	file, f := newFile(b, unit, 64<<20)
	if err := file.Truncate(1 << 30); err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, io.NewSectionReader(file, 0, 1<<30)); err != nil { // into the page cache
		b.Fatal(err)
	}
	for _, pages := range []int{0, 1, unit / 4096} {
		b.Run(fmt.Sprintf("%d pages", pages), func(b *testing.B) {
			off := int64(0)
			for b.Loop() {
				p, err := f.Bytes(off, unit)
				if err != nil {
					b.Fatal(err)
				}
				for i := range pages {
					sink.Add(int64(p[i*4096]))
				}
				off = (off + unit) & (1<<30 - 1)
			}
		})
	}
}

func BenchmarkGuard(b *testing.B) {
	_, f := newFile(b, 4096, 64<<20)
	n := 0
	use := func() error { n++; return nil }
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			_ = Guard(use, f)
		}
	})
	b.Run("nested", func(b *testing.B) {
		for b.Loop() {
			_ = Guard(func() error { return Guard(use, f) }, f)
		}
	})
}

// A 256 x 256 section of float64 is copied from chunks of the same shape: rows of 2 KiB, to a
// buffer whose rows are 2 KiB or 32 KiB apart; from memory, from the mapping, and by ReadAt.
func BenchmarkRows(b *testing.B) {
	const row, rows, chunks = 2 << 10, 256, 64
	const chunk = row * rows
	file, f := newFile(b, chunk, 256<<20)
	memory := make([]byte, chunk*chunks)
	for i := range memory {
		memory[i] = byte(i >> 11)
	}
	mustWrite(b, file, memory, 0)
	scratch := make([]byte, chunk)
	sources := []struct {
		name string
		copy func(to []byte, stride int, off int64) error
	}{
		{"memcpy", func(to []byte, stride int, off int64) error {
			copyRows(to, stride, memory[off:off+chunk], row)
			return nil
		}},
		{"mapped", func(to []byte, stride int, off int64) error {
			p, err := f.Bytes(off, chunk)
			if err != nil {
				return err
			}
			return Guard(func() error { copyRows(to, stride, p, row); return nil }, f)
		}},
		{"ReadAt", func(to []byte, stride int, off int64) error {
			if _, err := file.ReadAt(scratch, off); err != nil && err != io.EOF {
				return err
			}
			copyRows(to, stride, scratch, row)
			return nil
		}},
	}
	for _, stride := range []int{row, 16 * row} {
		to := make([]byte, stride*rows)
		for _, s := range sources {
			b.Run(fmt.Sprintf("stride %d/%s", stride, s.name), func(b *testing.B) {
				b.SetBytes(chunk)
				for i := 0; b.Loop(); i++ {
					if err := s.copy(to, stride, int64(i%chunks)*chunk); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func copyRows(to []byte, stride int, from []byte, row int) {
	for i := 0; i*row < len(from); i++ {
		copy(to[i*stride:i*stride+row], from[i*row:])
	}
}
