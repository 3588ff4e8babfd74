package scene_test

import (
	"testing"

	"drx/hyper/scene"
)

func TestLengthUnit(t *testing.T) {
	for text, want := range map[string]string{
		"nm": "nm", " Nanometers": "nm", "nanometre": "nm", "µm": "um", "Micron ": "um", "micrometres": "um", "index": "", "m": "",
	} {
		if got := scene.LengthUnit(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
