package pipe_test

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"drx/formats/pipe"
	"drx/formats/pipe/pipetest"
)

// A helper that is runnable but gets no processor, as on a busy machine, does not count as hung,
// although it does almost nothing.
func TestStarvedIsNotHung(t *testing.T) {
	useHelper(t, "all")
	t.Setenv(pipe.EnvTimeout, "1s")
	for range 3 { // they occupy the processor
		busy := exec.Command("sh", "-c", "while :; do :; done")
		started := make(chan error)
		go func() { started <- errors.Join(pipetest.OnOneProcessor(), busy.Start()) }() // inherited
		if err := <-started; err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = busy.Process.Kill(), busy.Wait() }()
	}
	path := file(t, one(pipetest.Fault{At: "read", Kind: "starve"}))
	begin := time.Now()
	if err := use(path, false); err != nil {
		t.Error(err)
	}
	t.Logf("took %v", time.Since(begin))
}
