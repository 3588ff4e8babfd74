//go:build mpi && cgo

package mpi

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"drx/internal/errkind"
	"drx/parallel/par"
)

// ReadAll reads by one collective call, unless pieces of two procs overlap. Then each proc reads
// its pieces by itself: the MPI-IO of Open MPI 4.1 sometimes returns zeros if three or more procs
// read overlapping pieces.
func (f *file) ReadAll(pieces []par.Piece) error {
	if err := f.w.checkThread(); err != nil { // in the background
		return err
	}
	overlap, err := f.overlap(pieces)
	if err != nil {
		return err
	}
	if !overlap {
		return f.move(pieces, 0, "read", io.ErrUnexpectedEOF)
	}
	for _, p := range pieces {
		if n, err := f.readAt(p.Data, p.Off); n < len(p.Data) {
			if err == io.EOF {
				err = fmt.Errorf("%s: read at offset %d: %w", f.name, p.Off, io.ErrUnexpectedEOF)
			}
			return err
		}
	}
	return nil
}

// A span is the range of bytes of a piece.
type span struct{ from, to int64 }

// overlap reports whether pieces of two procs overlap. The result is the same on all procs, because
// each gets all pieces.
func (f *file) overlap(pieces []par.Piece) (bool, error) {
	var mine []byte
	for _, p := range pieces {
		if n := len(p.Data); n > 0 {
			mine = binary.NativeEndian.AppendUint64(mine, uint64(p.Off))
			mine = binary.NativeEndian.AppendUint64(mine, uint64(p.Off)+uint64(n))
		}
	}
	spans, err := f.spans(mine)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return true, err
		}
	}
	return false, err
}

// spans returns the spans of all procs; mine are the spans of this proc, encoded.
func (f *file) spans(mine []byte) ([]span, error) {
	lengths, err := f.group.lengths(mine)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, n := range lengths {
		total += int(n)
	}
	if total > math.MaxInt32 { // MPI counts in 32 bits
		return nil, errkind.Errorf(par.ErrArgument, "%s: one read of all processes has %d pieces, the limit is %d", f.name, total/16, math.MaxInt32/16)
	}
	all, err := f.group.gatherAt("MPI_Allgatherv", mine, lengths, total, everyProc)
	if err != nil {
		return nil, err
	}
	var spans []span
	for _, b := range all {
		for ; len(b) > 0; b = b[16:] {
			spans = append(spans, span{int64(binary.NativeEndian.Uint64(b)), int64(binary.NativeEndian.Uint64(b[8:]))})
		}
	}
	return spans, nil
}
