package partest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drx/parallel/par"
)

func testFile(t *testing.T, launch Launch) {
	program(t, launch, "history", inFolders(fileHistory))
	program(t, launch, "overlap", inFolders(overlapping))
	program(t, launch, "figure 1", inFolders(figure1))
	program(t, launch, "open", inFolders(opens))
	program(t, launch, "errors", inFolders(fileErrors))
	program(t, launch, "in a group", inFolders(groupFile))
	program(t, launch, "names", inFolders(fileNames))
}

func inFolders(f func(c par.Comm, dir string) error) func(par.Comm) error {
	return func(c par.Comm) error {
		return inFolder(c, func(dir string) error { return f(c, dir) })
	}
}

const rw = os.O_RDWR | os.O_CREATE

// spread cuts [0, n) into random runs, and gives each run to a random proc, or to none.
func spread(procs, n, round int) [][]par.Piece {
	r := random(uint64(round), uint64(procs), uint64(n))
	all := make([][]par.Piece, procs)
	for off := 0; off < n; {
		length := min(r.IntN(1+n/(1+r.IntN(40))), n-off)
		if p := r.IntN(procs + 1); p < procs && !(round%4 == 3 && p == 0) { // sometimes proc 0 gets none
			all[p] = append(all[p], par.Piece{Off: int64(off), Data: noise(length, uint64(off), uint64(round))})
		}
		off += length
	}
	return all
}

// fileHistory writes random pieces, and compares the file with a serial model of it, also when it
// is read in other pieces.
func fileHistory(c par.Comm, dir string) error {
	name := filepath.Join(dir, "history")
	f, err := c.OpenFile(name, rw, map[string]string{"cb_nodes": "2"})
	if err != nil {
		return err
	}
	var model []byte
	for round := range 12 {
		n := 1 + round*round*3000
		pieces := spread(c.Procs(), n, round)
		for _, list := range pieces {
			for _, p := range list {
				model = apply(model, p)
			}
		}
		if err := errors.Join(f.WriteAll(pieces[c.Proc()]), f.Sync()); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if err := compare(c, f, name, model, round); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return f.Close()
}

// apply writes a piece to the model. A piece of no bytes does not extend it.
func apply(model []byte, p par.Piece) []byte {
	if end := int(p.Off) + len(p.Data); len(p.Data) > 0 && end > len(model) {
		model = append(model, make([]byte, end-len(model))...)
	}
	if len(p.Data) > 0 {
		copy(model[p.Off:], p.Data)
	}
	return model
}

// compare reads the file as a whole, and in other pieces.
func compare(c par.Comm, f par.File, name string, model []byte, round int) error {
	file, err := os.ReadFile(name)
	if err := errors.Join(err, same("file", file, model)); err != nil {
		return err
	}
	size, err := f.Size()
	if err := errors.Join(err, equal("size", size, int64(len(model)))); err != nil {
		return err
	}
	pieces := spread(c.Procs(), len(model), round+100)[(c.Proc()+round)%c.Procs()]
	if round%2 == 0 {
		// Every proc reads everything.
		pieces = append(pieces[:0:0], par.Piece{Data: make([]byte, len(model))})
	}
	if err := f.ReadAll(pieces); err != nil {
		return err
	}
	for _, p := range pieces {
		if err := same("read", p.Data, model[p.Off:p.Off+int64(len(p.Data))]); err != nil {
			return err
		}
	}
	return c.Barrier()
}

// overlapping: several procs read the same chunks; neighbours make one piece.
func overlapping(c par.Comm, dir string) error {
	const size = 1 << 20
	f, err := c.OpenFile(filepath.Join(dir, "overlap"), rw, nil)
	if err != nil {
		return err
	}
	content := noise(size, 5)
	var all []par.Piece
	if c.Proc() == 0 {
		all = []par.Piece{{Data: content}}
	}
	if err := f.WriteAll(all); err != nil {
		return err
	}
	for round := range 100 {
		common, own := random(uint64(round)), random(uint64(round), uint64(c.Proc()))
		chunk, n, share := 64<<common.IntN(8), 1+common.IntN(100), 1+common.IntN(100)
		var pieces []par.Piece
		for i := range n {
			if own.IntN(100) >= share {
				continue
			}
			if k := len(pieces); k > 0 && pieces[k-1].Off+int64(len(pieces[k-1].Data)) == int64(i*chunk) {
				pieces[k-1].Data = append(pieces[k-1].Data, make([]byte, chunk)...)
			} else {
				pieces = append(pieces, par.Piece{Off: int64(i * chunk), Data: make([]byte, chunk)})
			}
		}
		if err := f.ReadAll(pieces); err != nil {
			return err
		}
		for i, p := range pieces {
			if err := same(fmt.Sprintf("round %d: piece %d of %d", round, i, len(pieces)), p.Data, content[p.Off:p.Off+int64(len(p.Data))]); err != nil {
				return err
			}
		}
	}
	return f.Close()
}

// figure1 is the example of Otoo and Rotem 2007: 20 chunks, four zones of BLOCK x BLOCK, the chunk
// numbers of each zone in the file, and their positions in its memory.
func figure1(c par.Comm, dir string) error {
	globalMap := [][]int{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 12, 13, 14}, {9, 10, 16, 17}, {11, 15, 18, 19}}
	inMemoryMap := [][]int{{0, 1, 2, 3, 4, 5}, {0, 2, 4, 1, 3, 5}, {0, 1, 2, 3}, {0, 1, 2, 3}}
	const chunk = 6 * 8
	name := filepath.Join(dir, "figure1")
	f, err := c.OpenFile(name, rw, nil)
	if err != nil {
		return err
	}
	content := noise(20*chunk, 1)
	var all []par.Piece
	if c.Proc() == 0 {
		all = []par.Piece{{Data: content}}
	}
	if err := f.WriteAll(all); err != nil {
		return err
	}
	for turn := range 4 { // every proc reads every zone, each in another order
		zone := (turn + c.Proc()) % 4
		memory, want := make([]byte, 6*chunk), make([]byte, 6*chunk)
		var pieces []par.Piece
		for i, q := range globalMap[zone] {
			at := inMemoryMap[zone][i] * chunk
			pieces = append(pieces, par.Piece{Off: int64(q * chunk), Data: memory[at : at+chunk]})
			copy(want[at:], content[q*chunk:(q+1)*chunk])
		}
		if err := errors.Join(f.ReadAll(pieces), same("zone", memory, want)); err != nil {
			return err
		}
	}
	return f.Close()
}

// fill makes a file n bytes long, by proc 0.
func fill(c par.Comm, f par.File, n int) error {
	var pieces []par.Piece
	if c.Proc() == 0 {
		pieces = []par.Piece{{Data: make([]byte, n)}}
	}
	return f.WriteAll(pieces)
}

// groupFile: two groups use two files at the same time.
func groupFile(c par.Comm, dir string) error {
	g, err := c.Split(c.Proc()%2, 0)
	if err != nil {
		return err
	}
	f, err := g.OpenFile(filepath.Join(dir, fmt.Sprint(c.Proc()%2)), rw, nil)
	if err != nil {
		return err
	}
	data := noise(1000, uint64(c.Proc()))
	buf := make([]byte, 1000)
	other := (g.Proc() + 1) % g.Procs()
	return errors.Join(f.WriteAll([]par.Piece{{Off: int64(1000 * g.Proc()), Data: data}}),
		f.ReadAll([]par.Piece{{Off: int64(1000 * other), Data: buf}}),
		same("of the group", buf, noise(1000, uint64(g.Member(other)))), f.Close(), g.Close())
}
