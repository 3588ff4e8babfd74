package endmember_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"drx/hyper/endmember"
)

// TestIndices: values keep their bits in JSON. Texts that are cut are refused; changed ones are
// refused or give other values.
func TestIndices(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		want := make(endmember.Indices, rng.IntN(40))
		for i := range want {
			switch rng.IntN(4) {
			case 0:
				want[i] = rng.Float64()
			case 1:
				want[i] = []float64{math.Copysign(0, -1), math.NaN(), math.Inf(1), 5e-324}[rng.IntN(4)]
			}
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got endmember.Indices
		if err := json.Unmarshal(text, &got); err != nil || len(got) != len(want) {
			t.Fatalf("seed %d: %d values, want %d, error %v", seed, len(got), len(want), err)
		}
		for i, v := range want {
			if math.Float64bits(got[i]) != math.Float64bits(v) {
				t.Fatalf("seed %d: value %d is %v, want %v", seed, i, got[i], v)
			}
		}
		data, err := base64.StdEncoding.DecodeString(string(text[1 : len(text)-1]))
		if err != nil {
			t.Fatal(err)
		}
		for n := range data {
			cut, err := json.Marshal(data[:n])
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(cut, &got); err == nil {
				t.Fatalf("seed %d: %d of %d bytes are accepted", seed, n, len(data))
			}
		}
	}
	for _, text := range []string{`[1]`, `"`, `"AQ=="`, `"//////////8="`, `"AAAAAAAAAAAA"`, `{}`} {
		var got endmember.Indices
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
