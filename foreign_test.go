package drx

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drx/internal/vfs"
	"drx/nd"
)

// TestForeignReader has testdata/read_xta.py, which knows internal/meta/FORMAT.md and nothing else,
// read the files of random histories and compares every element.
func TestForeignReader(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("needs python3")
	}
	for seed := range uint64(40) {
		h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 4)), name: filepath.Join(t.TempDir(), "array")}
		h.opts.fs = vfs.OS
		h.create()
		for range 15 {
			h.step()
		}
		h.must(h.a.Close())
		var indices strings.Builder
		var want []string
		each(nd.Box(h.m.lo, h.m.hi), nil, func(index []int) {
			fmt.Fprintln(&indices, strings.Trim(strings.ReplaceAll(fmt.Sprint(index), " ", ","), "[]"))
			at := h.m.offset(index, h.m.lo, h.m.hi)
			want = append(want, hex.EncodeToString(h.m.data[at:at+h.m.elem]))
		})
		cmd := exec.Command(python, "testdata/read_xta.py", h.name)
		cmd.Stdin = strings.NewReader(indices.String())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("seed %d: %v: %s", seed, err, stderr.String())
		}
		fill := hex.EncodeToString(h.m.fill)
		got := strings.Fields(strings.ReplaceAll(string(out), "unwritten", fill))
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d elements, want %d", seed, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d: element %s is %s, want %s\n%v", seed, strings.Split(indices.String(), "\n")[i], got[i], want[i], h.log)
			}
		}
	}
}
