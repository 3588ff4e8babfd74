// Command drx-bridge reads and writes files of other formats for drx, with the C libraries that it
// was built with (make bridge). drx starts it by itself; see package formats/pipe.
package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"drx/formats"
	"drx/formats/pipe"
)

// version is set by the build.
var version = "devel"

const help = `drx-bridge reads and writes files of other formats for drx, which starts it by itself when it
needs one. drx finds it beside itself, on the PATH, or by the variable DRX_BRIDGE.

  drx-bridge formats     print the formats that it was built with
  drx-bridge serve       answer requests on standard input, as 'go doc drx/formats/pipe' says
  drx-bridge --version   print the version
`

func main() {
	os.Exit(run(os.Args[1:]))
}

// run executes the command line and returns the exit code.
func run(args []string) int {
	switch strings.Join(args, " ") {
	case "serve":
		if err := serve(); err != nil {
			fmt.Fprintf(os.Stderr, "drx-bridge: %v\n", err)
			return 1
		}
	case "formats":
		fmt.Println(cmp.Or(strings.Join(bridged(), "\n"), "none: install the libraries that scripts/tags lists and run make bridge"))
	case "--version":
		fmt.Println("drx-bridge version", version)
	case "", "--help", "help":
		fmt.Print(help)
	default:
		fmt.Fprintf(os.Stderr, "drx-bridge: %q: no such command; see drx-bridge --help\n", args)
		return 2
	}
	return 0
}

// bridged returns the names of the formats in this program that need C libraries.
func bridged() (names []string) {
	for _, f := range formats.Formats() {
		if pipe.Knows(f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// serve answers requests. C libraries print warnings to standard output, which must not mix with
// the answers. So the answers go to a duplicate of standard output, and file descriptor 1 is
// redirected to the error output.
func serve() error {
	out, err := unix.Dup(1)
	if err != nil {
		return err
	}
	unix.CloseOnExec(out)
	if err := unix.Dup2(2, 1); err != nil {
		return err
	}
	return pipe.Serve(os.Stdin, exitingWriter{os.NewFile(uintptr(out), "standard output")})
}

// An exitingWriter ends the process if its output can no longer be written, because drx has ended.
// The present request might never end, as a thread may hang in a library.
type exitingWriter struct{ io.Writer }

// Write implements io.Writer.
func (d exitingWriter) Write(p []byte) (int, error) {
	n, err := d.Writer.Write(p)
	if err != nil {
		os.Exit(1)
	}
	return n, err
}
