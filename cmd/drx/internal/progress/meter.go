package progress

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// A meter estimates the remaining time of some work. Set total and began in a zero meter.
type meter struct {
	total int64 // 0 if it is unknown
	began time.Time

	done int64
	last time.Time // of the last measurement
	rate float64   // per second
}

// rateMemory is the time constant of the smoothed rate. The remaining time follows a change of
// speed within it, but does not jump with every piece of the work.
const rateMemory = 15 * time.Second

// measure records the amount done by now. Calls must not be concurrent.
func (m *meter) measure(done int64, now time.Time) {
	since := m.began
	if !m.last.IsZero() {
		since = m.last
	}
	elapsed := now.Sub(since).Seconds()
	if elapsed <= 0 {
		return
	}
	// at first the rate is the mean since the beginning
	memory := min(now.Sub(m.began), rateMemory).Seconds()
	weight := 1 - math.Exp(-elapsed/memory)
	if memory < rateMemory.Seconds() {
		weight = elapsed / memory
	}
	m.rate += weight * (float64(done-m.done)/elapsed - m.rate)
	m.done, m.last = done, now
}

// left returns the remaining time. It is unknown in the first second, without a total, and when
// nothing moves.
func (m *meter) left() (left time.Duration, known bool) {
	if m.last.Sub(m.began) < time.Second || m.total <= 0 || m.rate <= 0 {
		return 0, false
	}
	seconds := float64(max(0, m.total-m.done)) / m.rate
	if seconds > (1000 * time.Hour).Seconds() {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// parts returns the share that is done, how much that is, the speed and the remaining time as
// texts. Those that are unknown are empty.
func (m *meter) parts(amount func(int64) string) (share, amounts, speed, left string) {
	amounts = amount(m.done)
	if m.total > 0 {
		share = fmt.Sprintf("%d %%", 100*min(m.done, m.total)/m.total)
		amounts += " of " + amount(m.total)
	}
	if m.rate > 0 {
		speed = amount(int64(math.Round(m.rate))) + "/s"
	}
	if d, known := m.left(); known {
		left = roundDuration(d) + " left"
	}
	return share, amounts, speed, left
}

// line returns the state of the work as one line.
func (m *meter) line(amount func(int64) string) string {
	share, amounts, speed, left := m.parts(amount)
	return join(share, amounts, speed, left)
}

// leastBar and mostBar are the extents of a bar in characters.
const leastBar, mostBar = 10, 40

// bar returns a line of fewer than cols columns, with a bar if one fits. It leaves
// out what does not fit, first the speed, then how much is done.
func (m *meter) bar(cols int, amount func(int64) string) string {
	share, amounts, speed, left := m.parts(amount)
	var text string
	for _, text = range []string{join(share, amounts, speed, left), join(share, amounts, left), join(share, left), share} {
		if len(text) < cols {
			break
		}
	}
	if len(text) >= cols {
		return ""
	}
	width := min(mostBar, cols-1-len(text)-len("[] "))
	if width < leastBar || m.total <= 0 {
		return text
	}
	full := int(int64(width) * min(m.done, m.total) / m.total)
	return "[" + strings.Repeat("=", full) + strings.Repeat("-", width-full) + "] " + text
}

// join joins the texts that are not empty by commas.
func join(texts ...string) string {
	var some []string
	for _, text := range texts {
		if text != "" {
			some = append(some, text)
		}
	}
	return strings.Join(some, ", ")
}

// roundDuration formats a duration for people, with two units at most: 45s, 3m20s, 2h5m.
func roundDuration(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < 10*time.Minute:
		return fmt.Sprintf("%dm%ds", d/time.Minute, d%time.Minute/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
}
