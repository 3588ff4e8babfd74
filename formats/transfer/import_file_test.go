package transfer

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"drx/formats"
)

// Advice must be given once, however often an error is wrapped.
func TestExplainOnce(t *testing.T) {
	o := newImporter(ImportOptions{}, "").files
	for _, cause := range []error{formats.ErrMemory, io.ErrUnexpectedEOF} {
		once := o.explain(cause)
		again := o.explain(fmt.Errorf("a.nc: %w", once))
		if !strings.Contains(once.Error(), ";") || again.Error() != "a.nc: "+once.Error() {
			t.Errorf("%v, then %v", once, again)
		}
	}
	if err := o.explain(nil); err != nil {
		t.Error(err)
	}
}
