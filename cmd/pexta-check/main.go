// Command pexta-check reports whether a program calls the Disk Resident Arrays (DRA) of libpexta or
// Global Arrays' own. The linker does not warn about the wrong ones: libpexta.a must come before
// -lga.
//
//	pexta-check PROGRAM...
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const usage = `usage: pexta-check PROGRAM...

Says of each program where its disk resident arrays are kept. Exit code: 0 if all programs have libpexta,
1 if one has not, 2 if one cannot be read.
`

// Texts that identify the library in a program, even in a stripped one.
var (
	ofPEXTA = []byte("disk resident arrays by libpexta")
	ofDRA   = []byte("DRA Metafile Name: %s")
)

func main() {
	if len(os.Args) < 2 || os.Args[1] == "-h" || os.Args[1] == "--help" {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	os.Exit(check(os.Args[1:], os.Stdout, os.Stderr))
}

// check prints a line about each program and returns the exit code.
func check(programs []string, out, complaints io.Writer) (code int) {
	for _, name := range programs {
		verdict, good, err := examine(name)
		switch {
		case err != nil:
			fmt.Fprintf(complaints, "pexta-check: %v\n", err)
			code = 2
		case !good:
			code = max(code, 1)
			fallthrough
		default:
			fmt.Fprintf(out, "%s: %s\n", name, verdict)
		}
	}
	return code
}

// examine says which of the libraries a program has, and whether it has only libpexta.
func examine(name string) (verdict string, good bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	pexta, dra, err := search(f)
	switch {
	case err != nil:
		return "", false, fmt.Errorf("%s: %w", name, err)
	case pexta && dra:
		return "libpexta, and parts of Global Arrays' own DRA: a name is missing in libpexta; please report it", false, nil
	case pexta:
		return "libpexta", true, nil
	case dra:
		return "Global Arrays' own DRA: put libpexta.a before -lga when it is linked", false, nil
	}
	return "neither libpexta nor DRA: it has no disk resident arrays, or another part of it is linked dynamically", false, nil
}

// search finds the texts in a file, a part at a time.
func search(r io.Reader) (pexta, dra bool, err error) {
	buf := make([]byte, 1<<20)
	kept := 0 // bytes kept from the previous part, in which a text may begin
	for {
		n, err := io.ReadFull(r, buf[kept:])
		part := buf[:kept+n]
		pexta = pexta || bytes.Contains(part, ofPEXTA)
		dra = dra || bytes.Contains(part, ofDRA)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return pexta, dra, nil
		}
		if err != nil {
			return pexta, dra, err
		}
		kept = copy(buf, part[len(part)-len(ofPEXTA):])
	}
}
