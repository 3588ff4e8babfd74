package picture

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with the file of that name in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", name, got, want)
	}
}

// fullDisk fails every write.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// slope returns a grey image that gets brighter to the right, with a white first row.
func slope(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(5, 7, 5+w, 7+h)) // bounds need not start at 0
	for y := range h {
		for x := range w {
			v := uint8(255 * x / (w - 1))
			if y == 0 {
				v = 255
			}
			img.SetRGBA(5+x, 7+y, color.RGBA{v, v, v, 255})
		}
	}
	return img
}

func TestTerminalGolden(t *testing.T) {
	wave := make([]float64, 5*6)
	for i := range wave {
		wave[i] = float64(i%6 + i/6)
	}
	wave[8] = nan
	img, err := Heat(wave, 5, 6, HeatOptions{Zoom: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]TermMode{"ascii.txt": ASCII, "color256.txt": Color256, "truecolor.txt": TrueColor} {
		var b bytes.Buffer
		if err := Terminal(&b, img, 6, 10, mode); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

func TestTerminalASCII(t *testing.T) {
	var b bytes.Buffer
	if err := Terminal(&b, slope(10, 4), 10, 9, ASCII); err != nil {
		t.Fatal(err)
	}
	// The white first row makes the first line brighter, halfway to white.
	if got, want := b.String(), "=+**##%%@@\n .:-=+*#%@\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTerminalBlocks(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 2, 3))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.SetRGBA(1, 1, color.RGBA{1, 2, 3, 255})
	var b bytes.Buffer
	if err := Terminal(&b, img, 2, 5, TrueColor); err != nil {
		t.Fatal(err)
	}
	white, dark := "2;255;255;255m", "2;1;2;3m"
	want := "\x1b[38;" + white + "\x1b[48;" + white + "▀\x1b[48;" + dark + "▀\x1b[0m\n" +
		"\x1b[38;" + white + "▀▀\x1b[0m\n" // nothing below the third row
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestTerminalSize(t *testing.T) {
	for _, c := range []struct{ w, h, cols, rows, wantCols, wantRows int }{
		{100, 100, 80, 24, 48, 24},
		{200, 100, 80, 24, 80, 20},
		{3, 3, 80, 10, 20, 10},
		{1000, 2, 80, 24, 80, 1},
		{2, 1000, 80, 24, 1, 24},
		{7, 7, 1, 1, 1, 1},
	} {
		var b bytes.Buffer
		if err := Terminal(&b, image.NewGray(image.Rect(0, 0, c.w, c.h)), c.cols, c.rows, ASCII); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != c.wantRows || len(lines[0]) != c.wantCols {
			t.Errorf("%d x %d pixels in %d x %d: %d x %d characters, want %d x %d", c.w, c.h, c.cols, c.rows,
				len(lines[0]), len(lines), c.wantCols, c.wantRows)
		}
	}
}

func TestTerminalAverages(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 4, 4))
	copy(img.Pix, []uint8{0, 200, 40, 40, 100, 100, 40, 40})
	s := sampler{img: img, width: 2, height: 2}
	for x, want := range []uint8{100, 40} {
		if got := s.at(x, 0); got != (color.RGBA{want, want, want, 255}) {
			t.Errorf("mean of 2 x 2 pixels at %d: %v, want %d", x, got, want)
		}
	}
}

func TestTerminalRefuses(t *testing.T) {
	img := slope(4, 4)
	for _, c := range []struct {
		err  error
		want string
	}{
		{Terminal(&bytes.Buffer{}, img, 0, 5, ASCII), "0 x 5"},
		{Terminal(&bytes.Buffer{}, image.NewGray(image.Rectangle{}), 5, 5, ASCII), "nothing to draw"},
		{Terminal(fullDisk{}, img, 5, 5, TrueColor), "disk full"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}

func TestDetectMode(t *testing.T) {
	for _, c := range []struct {
		env      string
		terminal bool
		want     TermMode
	}{
		{"TERM=xterm-256color COLORTERM=truecolor", true, TrueColor},
		{"TERM=xterm-256color COLORTERM=24bit", true, TrueColor},
		{"TERM=xterm-direct", true, TrueColor},
		{"TERM=xterm-256color", true, Color256},
		{"TERM=screen.xterm-256color", true, Color256},
		{"TERM=xterm", true, Color256},
		{"TERM=rxvt-unicode", true, Color256},
		{"TERM=vt100", true, ASCII},
		{"", true, ASCII},
		{"TERM=dumb COLORTERM=truecolor", true, ASCII},
		{"TERM=xterm-256color COLORTERM=truecolor NO_COLOR=1", true, ASCII},
		{"TERM=xterm-256color COLORTERM=truecolor", false, ASCII},
	} {
		getenv := func(name string) string {
			for _, pair := range strings.Fields(c.env) {
				if key, value, _ := strings.Cut(pair, "="); key == name {
					return value
				}
			}
			return ""
		}
		if got := DetectMode(getenv, c.terminal); got != c.want {
			t.Errorf("%q, terminal %v: mode %d, want %d", c.env, c.terminal, got, c.want)
		}
	}
}

func TestXterm256(t *testing.T) {
	for hex, want := range map[uint32]int{0x000000: 16, 0xffffff: 231, 0xff0000: 196, 0x808080: 244, 0x080808: 232, 0xeeeeee: 255, 0x5f87af: 67, 0xfde725: 220} {
		if got := xterm256(rgb(hex)); got != want {
			t.Errorf("#%06x: colour %d, want %d", hex, got, want)
		}
	}
}

func TestTerminalMissing(t *testing.T) {
	img, err := Heat([]float64{0, 1, math.NaN(), 0.5}, 1, 4, HeatOptions{Zoom: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Terminal(&b, img, 4, 1, ASCII); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); len(got) != 5 || got[2] != ' ' || strings.Count(got, " ") != 1 {
		t.Errorf("drawn as %q, want a blank for the missing value alone", got)
	}
}
