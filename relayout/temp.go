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
)

// nameTemp gives the folder of the temporary arrays a name, if there are to be any; the mark
// is committed before the folder is made, so that none is ever forgotten. When those of an
// interrupted copy are gone, the passes that made them begin again.
func (m *mark) nameTemp(dir, target string, passes int) error {
	if passes < 2 || m.Pass == passes {
		return nil
	}
	if m.Temp != "" && exists(m.Temp) {
		if m.Pass == 0 {
			return nil
		}
		if ok, err := drx.Exists(m.array(m.Pass - 1)); ok || err != nil {
			return err
		}
	}
	if dir == "" {
		dir = filepath.Dir(target)
	}
	var err error
	m.Pass = 0
	m.Temp, err = filepath.Abs(filepath.Join(dir, "relayout-"+rand.Text()))
	return err
}

// makeTemp makes the folder.
func (m *mark) makeTemp() error {
	if m.Temp == "" || exists(m.Temp) {
		return nil
	}
	return os.Mkdir(m.Temp, 0o777)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// array returns the name of the temporary array that pass i writes.
func (m *mark) array(i int) string { return filepath.Join(m.Temp, fmt.Sprintf("pass%d", i)) }

// tempOptions are those of all temporary arrays. They are as durable as the mark that relies
// on them, and need no journal: what is overwritten after a crash is overwritten as a whole.
func tempOptions(write bool) drx.Options {
	return drx.Options{Write: write, Cache: ArrayCache, Durability: drx.DurabilityNoJournal, Incomplete: true}
}

// open opens the temporary array that pass i writes or wrote.
func (m *mark) open(i int, write bool) (*drx.Array, error) {
	return drx.Open(m.array(i), tempOptions(write))
}

// temp returns the temporary array of pass i and how far it got. Its files are for nobody for whom the
// source is not.
func (m *mark) temp(i int, p *Plan, t dtype.DType, source string) (*drx.Array, done, error) {
	if a, err := m.open(i, true); err == nil {
		var d done
		raw := a.Attrs()[drx.IncompleteAttr]
		if raw == nil || json.Unmarshal(raw, &d) == nil && p.Passes[i].checkDone(d) == nil {
			return a, d, nil
		}
		if err := a.Close(); err != nil {
			return nil, done{}, err
		}
	}
	if err := m.removeArray(i); err != nil { // half made, or damaged
		return nil, done{}, err
	}
	g := p.Passes[i].Target
	a, err := drx.Create(m.array(i), drx.Spec{
		DType: t, Lo: g.Lo, Shape: nd.Shape(g.Lo, g.Hi), ChunkShape: g.Chunk, Source: source, Options: tempOptions(true),
	})
	return a, done{}, err
}

// removeArray removes the temporary array of pass i, if it is there, and no other file: a mark may come from
// anywhere.
func (m *mark) removeArray(i int) error {
	if err := drx.Remove(m.array(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeTemp removes all temporary arrays and their folder.
func (m *mark) removeTemp() error {
	if m.Temp == "" {
		return nil
	}
	for i := range m.Passes {
		if err := m.removeArray(i); err != nil {
			return err
		}
	}
	if err := os.Remove(m.Temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
