package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNth compares nth with sorting, for keys of which many are equal and for the largest key.
func TestNth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3), rapid.Just(uint64(math.MaxUint64)))
		keys := rapid.SliceOfN(key, 1, 200).Draw(t, "keys")
		n := rapid.IntRange(0, len(keys)-1).Draw(t, "n")
		sorted := slices.Sorted(slices.Values(keys))
		got := nth(keys, n)
		if got != sorted[n] || keys[n] != got {
			t.Fatalf("key %d is %d, and %d in its place, want %d", n, got, keys[n], sorted[n])
		}
		if n > 0 && slices.Max(keys[:n]) > got || slices.Min(keys[n:]) < got {
			t.Fatalf("%v: keys before %d are not smaller", keys, n)
		}
		if slices.Sort(keys); !slices.Equal(keys, sorted) {
			t.Fatal("keys were lost")
		}
	})
}

// TestKeys checks that keys are in the order of their numbers, and lead back to them.
func TestKeys(t *testing.T) {
	numbers := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1)}
	for i, v := range numbers {
		if got := numberOf[float64](keyOf(v)); got != v {
			t.Errorf("the key of %v is that of %v", v, got)
		}
		if i > 0 && keyOf(numbers[i-1]) >= keyOf(v) {
			t.Errorf("the key of %v is not below that of %v", numbers[i-1], v)
		}
	}
	if keyOf(math.Copysign(0, -1)) != keyOf(0.0) {
		t.Error("zeros have different keys")
	}
}
