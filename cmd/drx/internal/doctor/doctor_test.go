package doctor

import (
	"errors"
	"testing"

	"drx/internal/vfs"
)

// A strangePeer answers some commands differently from the other half.
type strangePeer struct {
	half   *half
	answer map[string]string
}

func (p *strangePeer) ask(command ...string) (string, error) {
	if text, is := p.answer[command[0]]; is {
		if text == "fail" {
			return "", errors.New("no answer")
		}
		return text, nil
	}
	return answerIn(p.half.answer(command[0]+" "+command[len(command)-1])+"\n", nil)
}

func (p *strangePeer) close() {}

// The conclusion follows from the answers of the second process.
func TestConclude(t *testing.T) {
	remote := vfs.System{Name: "testfs", LocalLocks: true, StaleCaches: true}
	for name, c := range map[string]struct {
		system                    vfs.System
		answer                    map[string]string
		writers, readers, sharing bool
	}{
		"good":                    {vfs.System{}, nil, true, true, true},
		"local locks":             {remote, map[string]string{"lock": "free", "lockrange": "free"}, true, true, false},
		"local locks, not known":  {vfs.System{}, map[string]string{"lock": "free"}, false, true, false},
		"old data, known":         {remote, map[string]string{"size": "3"}, true, true, false},
		"old data, not known":     {vfs.System{}, map[string]string{"size": "3"}, false, false, false},
		"old data for good":       {remote, map[string]string{"size": "3", "readnew": "6f6c64"}, false, false, false},
		"names are created twice": {remote, map[string]string{"create": "created"}, false, true, false},
		"no answer":               {remote, map[string]string{"readnew": "fail"}, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			p := &strangePeer{&half{folder: folder}, c.answer}
			defer p.half.close()
			var r Report
			r.conclude(c.system, &tester{folder: folder, peer: p})
			if r.Writers != c.writers || r.Readers != c.readers || r.Sharing != c.sharing || r.Advice == "" {
				t.Errorf("%+v", r)
			}
		})
	}
}
