package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dtype"
)

// evil is text with control sequences that a terminal would interpret, and with invisible
// characters.
const evil = "a\x1b]0;title\x07\u009b31m\x7f\u202eb,\"c\r"

// evilArray makes an array whose labels, names and attributes are evil.
func evilArray(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "A")
	a, err := drx.Create(name, drx.Spec{
		DType: dtype.Int8, Shape: []int{2, 2}, Dims: []string{evil, "x"}, Attrs: map[string]any{evil: evil, "plain": evil},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := cube.Of(a)
	if err == nil {
		err = c.SetLabels(0, []string{evil, "good"})
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestNothingForTheTerminal prints an evil array with every verb. Output to a terminal must have no
// character that the terminal would interpret; output to a program must have the labels unchanged.
func TestNothingForTheTerminal(t *testing.T) {
	name := evilArray(t)
	tty, printed := openTerminal(t)
	for _, line := range [][]string{
		{"labels", name},
		{"labels", name, "--dim", "0"},
		{"read", name},
		{"read", name, "--csv"},
		{"read", name, "--long"},
		{"sum", name, "--over", "1"},
		{"info", name},
		{"info", name, "--json"},
		{"attr", name},
		{"attr", name, "plain"},
		{"attr", name, "--json"},
		{"log", name},
		{"log", name, "--json"},
		{"ls", filepath.Dir(name)},
		{"verify", name},
		{"view", name},
		{"map", name},
		{"read", name, "--sel", "x=1," + evil + "=1"},
		{"extend", name, "--dim", evil + "?", "--by", "1"},
		{"__complete", "attr", name, ""},
		{"__complete", "extend", name, "--dim", ""},
	} {
		var complaints bytes.Buffer
		run(context.Background(), line, strings.NewReader(""), tty, &complaints)
		if got := printed() + complaints.String(); got == "" || strings.ContainsAny(got, "\x07\u009b\x7f\u202e") || strings.Contains(got, "\x1b]") {
			t.Errorf("%q: %q", line, got)
		}
	}
	var labels bytes.Buffer
	run(context.Background(), []string{"labels", name, "--dim", "0"}, strings.NewReader(""), &labels, &labels)
	if want := "a\x1b]0;title\x07\u009b31m\x7f\u202eb,\"\"c"; !strings.Contains(labels.String(), want) {
		t.Errorf("a program gets %q", labels.String())
	}
	var attr bytes.Buffer
	var value string
	run(context.Background(), []string{"attr", name, "plain"}, strings.NewReader(""), &attr, &attr)
	if err := json.Unmarshal(attr.Bytes(), &value); err != nil || value != evil {
		t.Errorf("the attribute is %q: %v", value, err)
	}
}

// openTerminal returns a terminal, and a function that returns the output since its last call.
func openTerminal(t *testing.T) (tty *os.File, printed func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { tty.Close() })
	if !cli.IsTerminal(tty) {
		t.Fatal("no terminal")
	}
	const end = "\nthe end\n"
	return tty, func() string {
		if _, err := tty.WriteString(end); err != nil {
			t.Fatal(err)
		}
		var text []byte
		for buf := make([]byte, 1<<12); ; {
			n, err := master.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, buf[:n]...)
			if rest, ok := strings.CutSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), end); ok {
				return rest
			}
		}
	}
}
