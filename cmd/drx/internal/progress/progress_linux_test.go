package progress

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"drx/cmd/drx/internal/cli"
)

// The remaining time must be near the truth, and change little from one second to the next,
// although the work consists of large pieces of uneven duration.
func TestRemainingTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const piece, total = 16 << 20, 600 * (16 << 20)
	m := meter{total: total, began: time.Unix(0, 0)}
	if left, known := m.left(); known {
		t.Errorf("before the first measurement: %v", left)
	}
	now, next, done := m.began, m.began, int64(0)
	var before time.Duration
	for done < total-piece {
		now = now.Add(barInterval)
		for !next.After(now) { // a piece takes 0.05 to 0.35 s
			done += piece
			next = next.Add(time.Duration(50+rng.IntN(300)) * time.Millisecond)
		}
		m.measure(done, now)
		left, known := m.left()
		elapsed := now.Sub(m.began)
		if known != (elapsed >= time.Second) {
			t.Fatalf("after %v: known is %v", elapsed, known)
		}
		if elapsed < 10*time.Second {
			continue
		}
		truth := time.Duration(float64(total-done) / piece * 0.2 * float64(time.Second))
		if left < truth*3/4-time.Second || left > truth*5/4+time.Second {
			t.Errorf("after %v: %v left, in truth %v", elapsed, left, truth)
		}
		if jump := left + barInterval - before; before > 0 && jump.Abs() > before/20+time.Second {
			t.Errorf("after %v: %v left, just before %v", elapsed, left, before)
		}
		before = left
	}
}

// If the speed changes for good, the remaining time must follow within a minute.
func TestRemainingTimeFollows(t *testing.T) {
	m := meter{total: 100_000, began: time.Unix(0, 0)}
	now, done := m.began, int64(0)
	run := func(seconds int, rate int64) time.Duration {
		for range 5 * seconds {
			now, done = now.Add(200*time.Millisecond), done+rate/5
			m.measure(done, now)
		}
		left, _ := m.left()
		return left
	}
	if left := run(60, 1000); left < 39*time.Second || left > 41*time.Second {
		t.Errorf("%v left at 1000 per second after 60000 of 100000", left)
	}
	if left := run(60, 100); left < 280*time.Second || left > 360*time.Second {
		t.Errorf("%v left at 100 per second after 66000 of 100000", left)
	}
	if left := run(3600, 0); left != 0 {
		t.Errorf("%v left when nothing moves", left)
	}
}

// A bar must fit any terminal, and say most on a wide one.
func TestBarFits(t *testing.T) {
	m := meter{total: 3 << 30, began: time.Unix(0, 0)}
	m.measure(1<<30, time.Unix(100, 0))
	for cols, want := range map[int]string{
		5:   "33 %",
		20:  "33 %, 3m20s left",
		40:  "33 %, 1.0 GiB of 3.0 GiB, 3m20s left",
		60:  "33 %, 1.0 GiB of 3.0 GiB, 10.2 MiB/s, 3m20s left",
		80:  "[========-----------------] 33 %, 1.0 GiB of 3.0 GiB, 10.2 MiB/s, 3m20s left",
		200: "[=============---------------------------] 33 %, 1.0 GiB of 3.0 GiB, 10.2 MiB/s, 3m20s left",
	} {
		if got := m.bar(cols, cli.ByteSize); !strings.HasSuffix(got, strings.TrimLeft(want, "[=-]")) || strings.HasPrefix(got, "[") != strings.HasPrefix(want, "[") {
			t.Errorf("%d columns: %q, want %q", cols, got, want)
		}
	}
	for cols := range 300 {
		for _, done := range []int64{0, 1, 3 << 29, 3 << 30, 4 << 30} {
			m := meter{total: 3 << 30, began: time.Unix(0, 0)}
			m.measure(done, time.Unix(5, 0))
			if got := m.bar(cols, cli.ByteSize); len(got) >= max(1, cols) {
				t.Errorf("%d columns: %q has %d", cols, got, len(got))
			}
		}
	}
	unknown := meter{began: time.Unix(0, 0)}
	unknown.measure(5<<20, time.Unix(5, 0))
	if got := unknown.line(cli.ByteSize); got != "5.0 MiB, 1.0 MiB/s" {
		t.Errorf("without a total: %q", got)
	}
}

func TestRoundDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1499 * time.Millisecond: "1s", 59*time.Second + 600*time.Millisecond: "1m0s", 200 * time.Second: "3m20s",
		601 * time.Second: "10m", 2*time.Hour + 5*time.Minute + time.Second: "2h5m",
	} {
		if got := roundDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// Without a terminal there must be a line at each interval, and one at the end.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := showLines(&out, 1000, cli.ByteSize, 20*time.Millisecond)
	for range 10 {
		p.Add(100)
		time.Sleep(10 * time.Millisecond)
	}
	p.End()
	p.End()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	form := regexp.MustCompile(`^drx: \d+ %, \d+ B of 1000 B, .*/s$`)
	for _, line := range lines {
		if !form.MatchString(line) {
			t.Errorf("line %q", line)
		}
	}
	if last := lines[len(lines)-1]; len(lines) < 3 || !strings.HasPrefix(last, "drx: 100 %, 1000 B of 1000 B") {
		t.Errorf("%d lines, the last is %q", len(lines), last)
	}
}

// On a terminal of 40 columns the bar must stay in one line, and be removed at the end.
func TestBarOnTerminal(t *testing.T) {
	terminal, screen := newTerminal(t, 40)
	p := showBar(terminal, 3<<30, cli.ByteSize)
	for range 8 {
		p.Add(1 << 28)
		time.Sleep(barInterval)
	}
	p.End()
	fmt.Fprint(terminal, "end")
	got := readUntil(t, screen, "end")
	bars := strings.Split(got, "\r")
	for _, bar := range bars {
		if text := strings.TrimSuffix(bar, "\x1b[K"); len(text) >= 40 || strings.Contains(text, "\n") {
			t.Errorf("%q has %d columns", text, len(text))
		}
	}
	if len(bars) < 5 || bars[len(bars)-1] != "\x1b[Kend" || !strings.Contains(got, " of 3.0 GiB, ") || !strings.Contains(got, " left") {
		t.Errorf("shown: %q", got)
	}
}

// newTerminal returns a terminal with cols columns, and the file from which its screen is read.
func newTerminal(t *testing.T, cols uint16) (terminal, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: cols})
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return terminal, screen
}

// readUntil reads from a terminal's screen until the text ends with end.
func readUntil(t *testing.T, screen *os.File, end string) string {
	t.Helper()
	var all []byte
	buf := make([]byte, 4096)
	for !strings.HasSuffix(string(all), end) {
		n, err := screen.Read(buf)
		if err != nil {
			t.Fatalf("after %q: %v", all, err)
		}
		all = append(all, buf[:n]...)
	}
	return string(all)
}
