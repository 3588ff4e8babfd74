package hyper

import (
	"encoding/json"
	"fmt"
	"hash/crc32"

	"drx"
	"drx/axial"
	"drx/hyper/scene"
	"drx/hyper/stats"
	"drx/nd"
)

// changes describes how the cube differs from its state at the last update.
type changes struct {
	Now      scene.Block   // the bounds
	Bands    [2]int        // low and high bound of the bands
	Kept     scene.Block   // the part of Now that has existed since the last update
	Anew     bool          // everything counts as new
	Suspects []scene.Block // parts of Kept: the pixels of chunks that were written since
	Commits  int
	History  uint32

	versions []uint64 // of the chunks, queried before anything is read
}

// none reports whether nothing has changed.
func (c *changes) none(h head) bool {
	return !c.Anew && len(c.Suspects) == 0 && c.Now == h.Bounds && c.Kept == h.Bounds && h.Update > 0
}

// survey finds the changes on the first proc and sends them to the others.
func (s *Session) survey(sections []nd.Section) (*changes, error) {
	c := &changes{}
	var err error
	if s.writes() {
		err = s.find(c, sections)
	}
	if s.o.Comm == nil {
		return c, err
	}
	text, err2 := json.Marshal(c)
	if err == nil {
		err = err2
	}
	if err := s.agree("changes of "+s.a.Name(), err); err != nil {
		return nil, err
	}
	parts, err := s.o.Comm.AllGather(text)
	if err != nil {
		return nil, err
	}
	if !s.writes() {
		if err = json.Unmarshal(parts[0], c); err == nil {
			err = s.catchUp(c)
		}
	}
	return c, s.agree("bounds of "+s.a.Name(), err)
}

// catchUp refreshes the cube of any other proc to the state that proc 0 has seen.
func (s *Session) catchUp(c *changes) error {
	if !s.a.Writable() {
		if _, err := s.a.Refresh(); err != nil {
			return err
		}
	}
	b := s.a.Bounds()
	if now := s.pixels(b); now.Intersect(c.Now) != c.Now || s.bands(b) != c.Bands {
		return fmt.Errorf("%s: this proc sees %s, bands %v; the first one %s, bands %v: the cube has changed meanwhile, update again", s.a.Name(), now, s.bands(b), c.Now, c.Bands)
	}
	return nil
}

// pixels returns the range of lines and samples of a section.
func (s *Session) pixels(b nd.Section) scene.Block {
	line, sample := b[s.dims.Line], b[s.dims.Sample]
	all := scene.Block{Lo: scene.Pixel{Line: line.Lo, Sample: sample.Lo}, Hi: scene.Pixel{Line: line.Hi, Sample: sample.Hi}}
	if all.Pixels() == 0 {
		return scene.Block{}
	}
	return all
}

func (s *Session) bands(b nd.Section) [2]int {
	return [2]int{b[s.dims.Band].Lo, b[s.dims.Band].Hi}
}

// find finds the changes. It queries the versions of the chunks first. So the next update finds
// everything that is written later, even what this update has already read.
func (s *Session) find(c *changes, sections []nd.Section) error {
	if !s.a.Writable() {
		if _, err := s.a.Refresh(); err != nil {
			return err
		}
	}
	if s.a.Rank() != 3 {
		return fmt.Errorf("%s: the cube has got %d dimensions, a scene has 3: lines, samples and bands", s.a.Name(), s.a.Rank())
	}
	history, err := s.a.History()
	if err != nil {
		return err
	}
	bounds := s.a.Bounds()
	c.Now, c.Bands = s.pixels(bounds), s.bands(bounds)
	if c.Bands[0] >= c.Bands[1] {
		c.Now = scene.Block{}
	}
	c.Commits = history[len(history)-1].Commit
	c.History = historyOf(history, c.Commits)
	s.survive(c, history)
	if c.versions, err = s.present(); err != nil {
		return err
	}
	if c.Anew {
		return nil
	}
	for _, sec := range sections {
		r, err := sec.Resolve(bounds.Bounds())
		if err != nil {
			return fmt.Errorf("%s: changed section: %w", s.a.Name(), err)
		}
		if b := s.pixels(r).Intersect(c.Kept); b.Pixels() > 0 {
			c.Suspects = append(c.Suspects, b)
		}
	}
	return s.suspect(c)
}

// survive computes the part of the cube that has remained since the last update.
func (s *Session) survive(c *changes, history []drx.Change) {
	c.Kept = s.head.Bounds.Intersect(c.Now)
	c.Anew = s.head.Update == 0 || c.Bands != s.head.Bands ||
		// The cube was compacted since, which renumbers chunks.
		historyOf(history, s.head.Commits) != s.head.History
	for _, h := range history {
		if h.Commit <= s.head.Commits || h.Kind == drx.Created {
			continue
		}
		if len(h.Bounds) == 3 {
			c.Kept = c.Kept.Intersect(s.pixels(h.Bounds))
			c.Anew = c.Anew || s.bands(h.Bounds) != c.Bands
		}
	}
	if c.Anew {
		c.Kept = scene.Block{}
	}
}

// present returns the present versions of all chunks.
func (s *Session) present() ([]uint64, error) {
	versions := make([]uint64, s.a.Grid().Chunks())
	return versions, s.a.ChunkVersions(0, versions)
}

// suspect adds the pixels of chunks whose versions differ from those of the last commit.
func (s *Session) suspect(c *changes) error {
	before, err := s.versions()
	if err != nil {
		return err
	}
	grid, shape := s.a.Grid(), s.a.ChunkShape()
	index := make([]int, len(shape))
	seen := map[scene.Block]bool{}
	for q, v := range c.versions {
		if q < len(before) && v == before[q] || q >= len(before) && v == 0 || !grid.Index(axial.Number(q), index) {
			continue
		}
		box := make(nd.Section, len(shape))
		for d, n := range shape {
			box[d] = nd.Span(index[d]*n, (index[d]+1)*n)
		}
		b := s.pixels(box).Intersect(c.Kept)
		if b.Pixels() > 0 && !seen[b] {
			seen[b] = true
			c.Suspects = append(c.Suspects, b)
		}
	}
	return nil
}

// historyOf returns a checksum of the changes of the first commits.
func historyOf(list []drx.Change, commits int) uint32 {
	sum := uint32(0)
	for _, c := range list {
		if c.Commit <= commits && c.Kind != drx.Attrs {
			sum = crc32.Update(sum, crc32.IEEETable, fmt.Appendln(nil, c.Commit, c.Kind, c.Dim, c.By, c.Low, c.Bounds))
		}
	}
	return sum
}

// parts returns the blocks of all pixels that are new or have new values. changed has the blocks
// that already existed and have new values.
func (c *changes) parts(changed []scene.Block) []scene.Block {
	return append(stats.Without(c.Now, c.Kept), joined(changed)...)
}

// joined merges blocks, given in the order of tiles: first neighbours in a row, then equal rows.
func joined(list []scene.Block) []scene.Block {
	var rows, all []scene.Block
	for _, b := range list {
		if n := len(rows) - 1; n >= 0 && rows[n].Hi.Sample == b.Lo.Sample && rows[n].Lo.Line == b.Lo.Line && rows[n].Hi.Line == b.Hi.Line {
			rows[n].Hi.Sample = b.Hi.Sample
			continue
		}
		rows = append(rows, b)
	}
	for _, b := range rows {
		if n := len(all) - 1; n >= 0 && all[n].Hi.Line == b.Lo.Line && all[n].Lo.Sample == b.Lo.Sample && all[n].Hi.Sample == b.Hi.Sample {
			all[n].Hi.Line = b.Hi.Line
			continue
		}
		all = append(all, b)
	}
	return all
}
