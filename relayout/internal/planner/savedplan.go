package planner

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// ErrMismatch is returned when a copy should resume an interrupted one but differs from it.
var ErrMismatch = errors.New("another copy was interrupted")

// A SavedPlan is a plan in the checkpoint of a copy. The names of its fields are part of array
// files.
type SavedPlan struct {
	Source Grid        `json:"source"` // what is copied, in the order of the source's dimensions
	Order  []int       `json:"order,omitempty"`
	Passes []SavedPass `json:"passes"`
}

// A SavedPass has the data from which a pass is restored.
type SavedPass struct {
	Chunk          []int `json:"chunk"`          // of its target
	ZeroBased      bool  `json:"zero,omitempty"` // the target's bounds begin at 0
	TemplateChunks []int `json:"blocks"`
	MinWritten     []int `json:"at_least"`
	Halvings       int   `json:"halved,omitempty"`
	WorkBuffers    int   `json:"works"`
	StagingBuffers int   `json:"stages"`
}

// Saved returns the data for restoring the plan of a copy from src.
func (p *Plan) Saved(src Grid) SavedPlan {
	s := SavedPlan{Source: src, Order: p.Order}
	for _, pass := range p.Passes {
		c := pass.choice
		zeroBased := !slices.Equal(pass.Target.Lo, p.Passes[len(p.Passes)-1].Target.Lo)
		s.Passes = append(s.Passes, SavedPass{pass.Target.ChunkShape, zeroBased, c.chunks, c.minWritten, c.halvings, pass.WorkBuffers, pass.StagingBuffers})
	}
	return s
}

// Restore returns the plan of an interrupted copy. The error wraps ErrMismatch if the requested
// copy is another one, ErrMemory if the buffers of the plan exceed the bound, or nd.ErrRank or
// nd.ErrBounds for values that no plan has, because anybody may have changed the checkpoint.
func (s *SavedPlan) Restore(src, dst Grid, order nd.Order, memory int64) (*Plan, error) {
	if !reflect.DeepEqual(s.Source, src) || !slices.Equal(s.Order, order) {
		return nil, fmt.Errorf("%w: of %v to %v in the order %v", ErrMismatch, s.Source.Lo, s.Source.Hi, s.Order)
	}
	if len(s.Passes) > maxPasses {
		return nil, errkind.Errorf(nd.ErrBounds, "%d passes: want at most %d", len(s.Passes), maxPasses)
	}
	p := &Plan{Order: order, Memory: memory}
	from := src.permuted(order)
	for i, sp := range s.Passes {
		if err := sp.check(dst); err != nil {
			return nil, fmt.Errorf("pass %d: %w", i, err)
		}
		to := sp.target(dst)
		if i < len(s.Passes)-1 {
			to.ElemSize = min(src.ElemSize, dst.ElemSize)
		}
		pass := newPass(from, to, choice{sp.TemplateChunks, sp.MinWritten, sp.Halvings, sp.WorkBuffers, sp.StagingBuffers})
		if (pass.StagingElements() > 0) != (sp.StagingBuffers > 0) {
			return nil, errkind.Errorf(nd.ErrBounds, "pass %d has %d staging buffers, for %d elements", i, sp.StagingBuffers, pass.StagingElements())
		}
		p.Passes = append(p.Passes, pass)
		from = to
	}
	if len(s.Passes) == 0 || !slices.Equal(from.ChunkShape, dst.ChunkShape) || !slices.Equal(from.Lo, dst.Lo) {
		return nil, fmt.Errorf("%w: to chunks of %v", ErrMismatch, from.ChunkShape)
	}
	if p.PeakMemory() > memory {
		return nil, fmt.Errorf("memory of %d bytes: %w: the copy was begun with buffers of %d", memory, ErrMemory, p.PeakMemory())
	}
	return p, nil
}

// target returns the grid that the pass writes, with the element size of the plan's target.
func (s *SavedPass) target(dst Grid) Grid {
	to := Grid{dst.Lo, dst.Hi, s.Chunk, dst.ElemSize}
	if s.ZeroBased {
		to.Lo, to.Hi = make([]int, len(dst.Lo)), dst.shape()
	}
	return to
}

// check returns an error for numbers that no plan for the target can have.
func (s *SavedPass) check(dst Grid) error {
	for _, list := range [][]int{s.Chunk, s.TemplateChunks, s.MinWritten} {
		if err := nd.CheckRank("extents", len(list), len(dst.Lo)); err != nil {
			return err
		}
	}
	for d, n := range dst.shape() {
		for _, v := range []struct{ value, least, most int }{
			{s.Chunk[d], 1, max(n, dst.ChunkShape[d])}, {s.TemplateChunks[d], 1, n + 1}, {s.MinWritten[d], 0, 2 * n},
		} {
			if v.value < v.least || v.value > v.most {
				return errkind.Errorf(nd.ErrBounds, "dimension %d: %d: want %d to %d", d, v.value, v.least, v.most)
			}
		}
	}
	if s.WorkBuffers < 1 || s.WorkBuffers > 2 || s.StagingBuffers < 0 || s.StagingBuffers > maxStagings ||
		s.Halvings < 0 || s.Halvings > maxHalvings {
		return fmt.Errorf("%w: %d work buffers, %d staging buffers, %d halvings", nd.ErrBounds, s.WorkBuffers, s.StagingBuffers, s.Halvings)
	}
	return nil
}

// CheckPosition returns an error that wraps nd.ErrBounds unless a copy by the plan, which has
// passes, can reach the position.
func (p *Plan) CheckPosition(at Position) error {
	n := len(p.Passes)
	if at.Pass < 0 || at.Pass > n {
		return errkind.Errorf(nd.ErrBounds, "pass %d: there are %d", at.Pass, n)
	}
	return p.Passes[n-1].CheckPosition(at)
}
