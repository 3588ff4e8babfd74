package call

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Guard calls f in a goroutine of its own and returns its error. A panic, and a goroutine that ends
// without returning (runtime.Goexit), become errors, so that the other procs learn of them.
func Guard(f func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic at %s: %s", panicLine(), strings.ReplaceAll(fmt.Sprint(v), "\n", "; "))
			} else if !returned {
				err = fmt.Errorf("ended by runtime.Goexit")
			}
		}()
		err = f()
		returned = true
	}()
	<-done
	return err
}

// panicLine returns file and line of a panic. The function that recovers calls it.
func panicLine() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for panicking := false; ; {
		f, more := frames.Next()
		if panicking && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		panicking = panicking || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
