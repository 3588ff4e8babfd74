package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/relayout"
)

// The hint must contain the name of the incomplete array, whatever precedes it in the text.
func TestIncompleteHint(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a: b")
	a, err := drx.Create(name, drx.Spec{DType: dtype.Int8, Shape: []int{2}, Attrs: map[string]any{relayout.IncompleteAttr: true}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = drx.Open(name, drx.Options{})
	got := incompleteHint(fmt.Errorf("copy of x to y: %w", err))
	if !strings.HasSuffix(got.Error(), "remove it with drx rm "+name+" and make it again") {
		t.Error(got)
	}
	if err := incompleteHint(context.Canceled); err != context.Canceled {
		t.Error(err)
	}
}
