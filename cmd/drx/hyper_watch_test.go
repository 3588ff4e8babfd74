package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/hyper"
	"drx/internal/enumtest"
	"drx/nd"
)

// A canceller is an output that cancels a context after a number of lines.
type canceller struct {
	bytes.Buffer
	lines  int
	cancel func()
}

// Write counts the lines.
func (c *canceller) Write(p []byte) (int, error) {
	if c.lines -= bytes.Count(p, []byte("\n")); c.lines <= 0 {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

// TestWatchIsInterrupted: an interrupted watch must exit with 0, write its animation, and leave a
// state from which the next watch continues.
func TestWatchIsInterrupted(t *testing.T) {
	inGeneratedScene(t)
	ctx, cancel := context.WithCancel(t.Context())
	out := &canceller{lines: 1, cancel: cancel}
	var errs bytes.Buffer
	line := "hyper watch made/scene --method nfindr --count 4 -o parts --animate parts.png"
	if code := run(ctx, strings.Fields(line), strings.NewReader(""), out, &errs); code != 0 {
		t.Fatalf("exit code %d, %s", code, &errs)
	}
	if _, err := os.Stat("parts.png"); err != nil {
		t.Error(err)
	}
	var again struct {
		Update, Changed int
		Statistics      []json.RawMessage
		Found           *hyper.Found
	}
	hyperRun(t, &again, "watch made/scene --method nfindr --count 4 -o parts --once")
	if again.Update != 2 || again.Changed != 0 || again.Found == nil || !again.Found.Certificate.Holds || len(again.Statistics) != 12 {
		t.Errorf("%+v", again)
	}
	hyperRun(t, nil, "endmembers made/scene --method nfindr --count 4 -o E.json")
	hyperRun(t, nil, "abundance made/scene --endmembers E.json -o whole")
	parts, err := floatsOf("parts")
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := floatsOf("whole"); err != nil || !slices.Equal(parts, whole) {
		t.Errorf("the abundances differ from those of hyper abundance, error %v", err)
	}
}

// TestKilledWatch kills a watch of a scene that has grown, before each of its operations. The next
// watch must have the same results as one that was never killed.
func TestKilledWatch(t *testing.T) {
	inGeneratedScene(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const verb = "hyper watch @/made/scene --once --method atgp --count 4 -o @/parts"
	moments, kills := enumtest.Of(t), 0
	for n := 1; ; n += 6 {
		if !moments.Try() {
			continue
		}
		mustRun(t, dir, verb)
		err := arrays.With("made/scene", true, func(a *drx.Array) error {
			sec, err := a.Extend(0, 1)
			if err != nil {
				return err
			}
			data := make([]float32, 24*12)
			for i := range data {
				data[i] = float32((i*i*n)%101) / 100
			}
			if err := drx.Write(a, sec, data); err != nil {
				return err
			}
			return drx.Write(a, nd.Sec(nd.At(0), nd.All, nd.All), data)
		})
		if err != nil {
			t.Fatal(err)
		}
		dead := killed(t, dir, verb, n)
		mustRun(t, dir, verb)
		got, err := floatsOf("parts")
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, dir, "rm @/parts")
		mustRun(t, dir, verb+" --anew")
		if want, err := floatsOf("parts"); err != nil || !slices.Equal(got, want) {
			t.Fatalf("killed before operation %d: other abundances, error %v", n, err)
		}
		if !dead {
			break
		}
		kills++
	}
	t.Logf("%d kills", kills)
	if kills < moments.Share(5) {
		t.Errorf("%d kills: does it change anything?", kills)
	}
}
