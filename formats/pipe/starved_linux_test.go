package pipe_test

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"drx/formats/pipe"
	"drx/formats/pipe/pipetest"
)

// A helper that is runnable and gets no processor, as on a machine with much to do, is not hung,
// though it does next to nothing.
func TestStarvedIsNotHung(t *testing.T) {
	useHelper(t, "all")
	t.Setenv(pipe.EnvTimeout, "1s")
	for range 3 { // that take the processor
		busy := exec.Command("sh", "-c", "while :; do :; done")
		started := make(chan error)
		go func() { started <- errors.Join(pipetest.OnOneProcessor(), busy.Start()) }() // programs inherit it
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
