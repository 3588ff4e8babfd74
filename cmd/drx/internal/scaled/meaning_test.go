package scaled

import (
	"math"
	"testing"

	"drx"
	"drx/cmd/drx/internal/clitest"
	"drx/dtype"
)

func TestDecoder(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Complex64, Shape: []int{1}})
	b, err := dtype.Complex64.Encode("3+4i")
	if err != nil {
		t.Fatal(err)
	}
	if v := Decoder(a)(b); v != 5 {
		t.Errorf("modulus of 3+4i is %v", v)
	}
	for _, c := range []struct {
		t       dtype.DType
		fill    any
		text    string
		missing bool
	}{
		{dtype.Uint16, 65535, "65535", true},
		{dtype.Uint16, 65535, "0", false},
		{dtype.Uint16, 0, "0", false},
		{dtype.Float32, "NaN", "NaN", true},
		{dtype.Float32, 0, "NaN", true},
		{dtype.Bool, true, "true", false},
	} {
		a := clitest.NewArray(t, drx.Spec{DType: c.t, Shape: []int{1}, FillValue: c.fill})
		b, err := c.t.Encode(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := math.IsNaN(Decoder(a)(b)); got != c.missing {
			t.Errorf("%v %s with fill %v: missing is %v", c.t, c.text, c.fill, got)
		}
	}
}

// The test decodes scaled values, and an attribute palette that is not valid.
func TestMeaning(t *testing.T) {
	for _, c := range []struct {
		attrs map[string]any
		want  float64
		note  bool
	}{
		{map[string]any{"scale_factor": 0.5, "add_offset": 10}, 13, true},
		{map[string]any{"add_offset": 10}, 16, true},
		{map[string]any{"scale_factor": 1}, 6, false},
		{map[string]any{"scale_factor": []float64{1, 2}}, 6, true},
		{map[string]any{"palette": "red"}, 6, false},
		{map[string]any{"palette": [][]int{{1, 2}}}, 6, false},
		{map[string]any{"palette": [][]int{{1, 2, 256}}}, 6, false},
	} {
		a := clitest.NewArray(t, drx.Spec{DType: dtype.Int16, Shape: []int{1}, Attrs: c.attrs})
		m := MeaningOf(a, false)
		if got := m.Decode([]byte{6, 0}); got != c.want || (m.Note != "") != c.note || m.Palette != nil {
			t.Errorf("%v: %v, note %q, palette %v", c.attrs, got, m.Note, m.Palette)
		}
	}
}
