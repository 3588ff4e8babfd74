package relayout

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/relayout/internal/planner"
)

// nameTemp gives the folder of the temporary arrays a name, if the plan has any. The checkpoint
// is committed before the folder is made, so that no folder is ever forgotten. If the arrays of
// an interrupted copy are gone, the copy begins again with the first pass.
func (c *checkpoint) nameTemp(dir, target string, passes int) error {
	if passes < 2 || c.Pass == passes {
		return nil
	}
	if c.Temp != "" && exists(c.Temp) {
		if c.Pass == 0 {
			return nil
		}
		if ok, err := drx.Exists(c.array(c.Pass - 1)); ok || err != nil {
			return err
		}
	}
	if dir == "" {
		dir = filepath.Dir(target)
	}
	var err error
	c.Pass = 0
	c.Temp, err = filepath.Abs(filepath.Join(dir, "relayout-"+rand.Text()))
	return err
}

// makeTemp makes the folder.
func (c *checkpoint) makeTemp() error {
	if c.Temp == "" || exists(c.Temp) {
		return nil
	}
	return os.Mkdir(c.Temp, 0o777)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// array returns the name of the temporary array that pass i writes.
func (c *checkpoint) array(i int) string { return filepath.Join(c.Temp, fmt.Sprintf("pass%d", i)) }

// tempOptions are the options of all temporary arrays. These are as durable as the checkpoint that
// relies on them. They need no journal: after a crash, chunks are overwritten as a whole.
func tempOptions(write bool) drx.Options {
	return drx.Options{Write: write, Cache: ArrayCache, Durability: drx.DurabilityNoJournal, Incomplete: true}
}

// open opens the temporary array that pass i writes or wrote.
func (c *checkpoint) open(i int, write bool) (*drx.Array, error) {
	return drx.Open(c.array(i), tempOptions(write))
}

// temp returns the temporary array that pass i writes, and its progress. Its files get the
// permissions of the source's files.
func (c *checkpoint) temp(i int, p *planner.Plan, t dtype.DType, source string) (*drx.Array, planner.Position, error) {
	if a, err := c.open(i, true); err == nil {
		var at planner.Position
		raw := a.Attrs()[IncompleteAttr]
		if raw == nil || json.Unmarshal(raw, &at) == nil && p.Passes[i].CheckPosition(at) == nil {
			return a, at, nil
		}
		if err := a.Close(); err != nil {
			return nil, planner.Position{}, err
		}
	}
	if err := c.removeArray(i); err != nil { // half made, or damaged
		return nil, planner.Position{}, err
	}
	g := p.Passes[i].Target
	a, err := drx.Create(c.array(i), drx.Spec{
		DType: t, Lo: g.Lo, Shape: nd.Shape(g.Lo, g.Hi), ChunkShape: g.ChunkShape, Source: source, Options: tempOptions(true),
	})
	return a, planner.Position{}, err
}

// removeArray removes the temporary array of pass i, if it exists. It removes no other file,
// because anybody can set a checkpoint.
func (c *checkpoint) removeArray(i int) error {
	if err := drx.Remove(c.array(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeTemp removes all temporary arrays and their folder.
func (c *checkpoint) removeTemp() error {
	if c.Temp == "" {
		return nil
	}
	for i := range c.Passes {
		if err := c.removeArray(i); err != nil {
			return err
		}
	}
	if err := os.Remove(c.Temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
