// Command matmul computes C = A B for matrices that are larger than memory and grow. A, B and C are
// arrays of DRX; C is created if need be. Only products that C does not have yet are computed, see
// README.md.
//
//	matmul -procs 4 -memory 1GiB A B C     (or built with -tags mpi: mpirun -n 4 matmul A B C)
//
// main.go and session.go are the program: options, arrays, commits. progress.go knows which
// products C has. srumma.go multiplies by SRUMMA; tiling.go divides the work for it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"drx/parallel/par"
	"drx/parallel/spmd"
)

// settings are the options of the command line.
type settings struct {
	names      [3]string // of the arrays A, B and C
	transposed [2]bool   // A and B are stored as their transposes
	memory     int64     // bytes for the buffers and the caches of all procs together
	// goroutines of each proc that multiply; 0: the machine's, divided among the procs
	threads int
	chunk   int // the edge of a chunk of C, in elements, if C is created
	every   time.Duration
	// when it ends, the session stops after the current tile
	ctx context.Context
	log io.Writer // of proc 0

	// reached, if not nil, is called on each proc at the points of a session at which tests
	// interrupt it.
	reached func(point string, proc int) error
}

// garbage is the memory that the runtime may leave unused before it collects it, in percent of the
// used memory. With the default, memory could grow to twice the size of the buffers. They have no
// pointers, so a collection is fast.
const garbage = 10

func main() {
	debug.SetGCPercent(garbage)
	s := settings{memory: 256 << 20, log: os.Stderr}
	flag.BoolVar(&s.transposed[0], "ta", false, "A is stored transposed: C = A' B")
	flag.BoolVar(&s.transposed[1], "tb", false, "B is stored transposed: C = A B'")
	flag.Func("memory", "bytes for buffers and caches, all procs together, such as 512MiB (default 256MiB)", func(text string) (err error) {
		s.memory, err = parseBytes(text)
		return err
	})
	flag.IntVar(&s.threads, "threads", 0, "goroutines of each proc that multiply; 0: the processors of one machine, divided among all procs")
	flag.IntVar(&s.chunk, "chunk", 256, "edge of a chunk of C, in elements, if C is created")
	flag.DurationVar(&s.every, "commit", 10*time.Second, "commit after a tile when the last commit is so long ago")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: matmul [options] A B C\n\nComputes what C lacks of the product A B. The options:")
		flag.PrintDefaults()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the program at once
	s.ctx = ctx
	spmd.Main(func(c par.Comm) error {
		if flag.NArg() != len(s.names) {
			return fmt.Errorf("%d arguments: matmul takes three, the names of the arrays A, B and C; see -help", flag.NArg())
		}
		mine := s // goroutine procs share no variables
		copy(mine.names[:], flag.Args())
		return multiply(c, mine)
	})
}

// multiply runs a session and reports it on proc 0.
func multiply(c par.Comm, s settings) error {
	if s.threads < 0 {
		return fmt.Errorf("-threads %d: it must be at least 1, or 0 for as many as processors", s.threads)
	}
	if s.threads == 0 {
		// machines may differ, but the procs must not
		least := []int64{int64(max(1, runtime.GOMAXPROCS(0)/c.Procs()))}
		if err := par.AllReduce(c, least, par.Min); err != nil {
			return err
		}
		s.threads = int(least[0])
	}
	began := time.Now()
	done, err := session(c, s)
	if err == nil && c.Proc() == 0 {
		seconds := time.Since(began).Seconds()
		fmt.Fprintf(s.log, "%s: %d tiles, %d commits, %.4g products in %.3f s, %.1f GFLOP/s\n",
			s.names[2], done.tiles, done.commits, done.products, seconds, 2*done.products/seconds/1e9)
	}
	return err
}

// parseBytes reads a number of bytes with a binary unit, such as 512MiB.
func parseBytes(text string) (int64, error) {
	number, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if rest, found := strings.CutSuffix(text, unit); found {
			number, shift = rest, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is no number of bytes such as 512MiB", text)
	}
	return n << shift, nil
}
