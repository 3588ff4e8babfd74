package picture

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"
)

// TermMode is the colour support of a terminal. The zero value is ASCII.
type TermMode int

// The modes.
const (
	ASCII     TermMode = iota // no colour: denser characters for brighter pixels
	Color256                  // the 256 colours of xterm
	TrueColor                 // 24-bit colour
)

// DetectMode returns the mode of the terminal that the environment describes: ASCII if there is
// no terminal, if NO_COLOR is set to anything, or if TERM has no colours; TrueColor if COLORTERM
// is truecolor or 24bit, or if TERM ends in -direct; otherwise Color256.
func DetectMode(getenv func(string) string, isTerminal bool) TermMode {
	term := getenv("TERM")
	if !isTerminal || getenv("NO_COLOR") != "" || term == "dumb" {
		return ASCII
	}
	if c := getenv("COLORTERM"); c == "truecolor" || c == "24bit" || strings.HasSuffix(term, "-direct") {
		return TrueColor
	}
	if strings.HasSuffix(term, "-256color") {
		return Color256
	}
	family, _, _ := strings.Cut(term, "-")
	switch family {
	case "xterm", "screen", "tmux", "linux", "rxvt", "konsole", "alacritty", "foot":
		return Color256
	}
	return ASCII
}

const resetColor = "\x1b[0m"

// appendColor appends the escape sequence that sets the foreground, what 38,
// or the background, what 48.
func appendColor(line []byte, what string, c color.RGBA, mode TermMode) []byte {
	line = append(append(line, "\x1b["...), what...)
	if mode == Color256 {
		line = strconv.AppendInt(append(line, ";5;"...), int64(xterm256(c)), 10)
	} else {
		line = fmt.Appendf(line, ";2;%d;%d;%d", c.R, c.G, c.B)
	}
	return append(line, 'm')
}

// xterm256 returns the nearest of xterm's fixed colours: 16 to 231 are a cube
// of 6 levels per channel, 232 to 255 greys from 8 in steps of 10.
func xterm256(c color.RGBA) int {
	level := [6]int{0, 95, 135, 175, 215, 255}
	nearest := func(v uint8) int {
		best := 0
		for i, l := range level {
			if abs(l-int(v)) < abs(level[best]-int(v)) {
				best = i
			}
		}
		return best
	}
	distance := func(r, g, b int) int {
		r, g, b = r-int(c.R), g-int(c.G), b-int(c.B)
		return r*r + g*g + b*b
	}
	r, g, b := nearest(c.R), nearest(c.G), nearest(c.B)
	step := min(max((int(c.R)+int(c.G)+int(c.B))/3-3, 0)/10, 23)
	grey := 8 + 10*step
	if distance(grey, grey, grey) < distance(level[r], level[g], level[b]) {
		return 232 + step
	}
	return 16 + 36*r + 6*g + b
}

func abs(v int) int { return max(v, -v) }
