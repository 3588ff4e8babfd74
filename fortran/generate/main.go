// Command generate writes the generated files of the Fortran module: src/c.f90, the interface of
// libdrx according to include/drx.abi, and src/elements.f90, with a procedure for each type of
// elements. Run it with go generate ./fortran.
package main

import (
	"fmt"
	"os"
)

func main() {
	abi, err := os.ReadFile("../include/drx.abi")
	check(err)
	text, err := interfaces(string(abi))
	check(err)
	check(os.WriteFile("src/c.f90", []byte(text), 0o666))
	text, err = elements()
	check(err)
	check(os.WriteFile("src/elements.f90", []byte(text), 0o666))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
