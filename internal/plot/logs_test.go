package plot

import (
	"math"
	"strings"
	"testing"
)

// The labels of logarithmic ticks are the numbers, as many as fit.
func TestLogs(t *testing.T) {
	all := func([]Tick) bool { return true }
	few := func(ticks []Tick) bool { return len(ticks) <= 4 }
	for _, c := range []struct {
		lo, hi float64
		fits   func([]Tick) bool
		want   string
	}{
		{-0.02, 1.62, all, "1 2 5 10 20"},
		{-0.02, 1.62, few, "1 10"},
		{-3, 2.1, all, "0.001 0.01 0.1 1 10 100"},
		{-3, 2.1, few, "0.01 1 100"},
		{0, 0.1, all, "1 1.05 1.1 1.15 1.2 1.25"},
		{-20, 20, few, "1e-16 1 1e16"},
		{5, 6, few, "1e5 2e5 5e5 1e6"},
		{-300, 300, few, "1e-256 1 1e256"},
	} {
		ticks := ticksOf(Logs{}, c.lo, c.hi, c.fits)
		var labels []string
		for _, k := range ticks {
			labels = append(labels, k.Label)
			if k.At < c.lo || k.At > c.hi || math.IsNaN(k.At) {
				t.Errorf("%v to %v: a tick at %v", c.lo, c.hi, k.At)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}
