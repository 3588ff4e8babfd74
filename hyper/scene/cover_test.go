package scene_test

import (
	"testing"

	"drx/hyper/scene"
)

func TestCover(t *testing.T) {
	for b, want := range map[scene.Block]scene.Block{
		block(0, 1, 0, 1):      block(0, 16, 0, 64),
		block(-1, 17, -64, 64): block(-16, 32, -64, 64),
		block(3, 3, 0, 9):      {},
	} {
		if got := scene.Cover(b); got != want {
			t.Errorf("%s: %s, want %s", b, got, want)
		}
	}
}
