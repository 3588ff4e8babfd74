package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// spoilings are ways to damage a file with arrays.
var spoilings = []struct {
	name  string
	spoil func(file string, b []byte) error
}{
	{"missing", func(file string, _ []byte) error { return os.Remove(file) }},
	{"cut in half", rewritten(func(b []byte) []byte { return b[:len(b)/2] })},
	{"empty", rewritten(func([]byte) []byte { return nil })},
	{"no header", rewritten(func(b []byte) []byte { clear(b[:8192]); return b })},
	{"text", rewritten(func([]byte) []byte { return []byte("no array\n") })},
	{"cut in the header", rewritten(func(b []byte) []byte { return b[:100] })},
	{"text appended", rewritten(func(b []byte) []byte { return append(b, "more"...) })},
	{"folder", func(file string, _ []byte) error {
		if err := os.Remove(file); err != nil {
			return err
		}
		return os.Mkdir(file, 0o777)
	}},
	{"damaged log", rewritten(func(b []byte) []byte {
		for i := 8192; i < 65536 && i < len(b); i += 7 {
			b[i] ^= 1
		}
		return b
	})},
	{"damaged end", rewritten(func(b []byte) []byte {
		for i := len(b) - 4096; i < len(b); i++ {
			b[i] ^= 0x55
		}
		return b
	})},
}

// rewritten returns a spoiling that changes the bytes of a file.
func rewritten(change func([]byte) []byte) func(string, []byte) error {
	return func(file string, b []byte) error { return os.WriteFile(file, change(b), 0o666) }
}

// onDamaged are command lines that read a damaged array, NAME.
var onDamaged = strings.Split(`info NAME
cp NAME new
recover NAME new.drx
ls NAME
verify NAME
mv NAME new.drx
convert NAME
read NAME
recover NAME --in-place
cp GOOD NAME
log NAME
info NAME --at-version 99
convert NAME new.drx
export NAME new.npy
copy NAME new
compact NAME
pack NAME
recompress NAME --codec lz4
extend NAME --dim y --by 1
shrink NAME --dim y --by 1
attr NAME a=1
unpack NAME new
rm NAME
convert GOOD NAME
recover GOOD NAME
create NAME --dtype int8 --shape 3`, "\n")

// TestNamesOnce damages one-file arrays and arrays in a file with several. Errors must contain the
// name of such an array once, in the form that users type, although a file has that name too.
func TestNamesOnce(t *testing.T) {
	base := t.TempDir()
	t.Chdir(base)
	if err := os.Mkdir("good", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"create good/GOOD --dtype int32 --shape 6,8 --chunk 4,4 --dims y,x", "fill good/GOOD --value 7",
		"create good/one.drx --dtype int32 --shape 6,8 --chunk 4,4 --dims y,x", "fill good/one.drx --value 7",
		"create good/box.drx --dataset", "create good/box.drx/var --dtype int32 --shape 6,8 --chunk 4,4 --dims y,x",
		"fill good/box.drx/var --value 7",
	} {
		if code, text := call(t, line); code != 0 {
			t.Fatalf("drx %s: %s", line, text)
		}
	}
	failed := 0
	every := 3
	if os.Getenv("DRX_SOAK") != "" {
		every = 1
	}
	for n, name := range []string{"one.drx", "box.drx/var", "box.drx"} {
		for i, s := range spoilings {
			for k, verb := range onDamaged {
				if (n+i+k)%every != 0 {
					continue
				}
				if err := os.CopyFS("now", os.DirFS("good")); err != nil {
					t.Fatal(err)
				}
				t.Chdir("now")
				file, _, _ := strings.Cut(name, "/")
				b, err := os.ReadFile(file)
				if err == nil {
					err = s.spoil(file, b)
				}
				if err != nil {
					t.Fatal(err)
				}
				line := strings.ReplaceAll(verb, "NAME", name)
				code, text := call(t, line)
				if code != 0 {
					failed++
				}
				if again := twice(text, file, name, name+".drx", "GOOD"); again != "" {
					t.Errorf("%s: drx %s: %q has %s twice", s.name, line, text, again)
				}
				t.Chdir(base)
				if err := os.RemoveAll("now"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if failed < 100 {
		t.Errorf("only %d calls failed", failed)
	}
}

// commands matches the commands that an error suggests.
var commands = regexp.MustCompile(`'drx [^']*'|\(drx [^)]*\)`)

// twice returns a name that a text contains more than once, or "". Names in commands that the text
// suggests do not count.
func twice(text string, names ...string) string {
	text = commands.ReplaceAllString(text, "")
	for _, name := range names {
		whole := regexp.MustCompile(`(^|[^\w./])` + regexp.QuoteMeta(name) + `($|[^\w./]|\.$|\. )`)
		if len(whole.FindAllString(text, -1)) > 1 {
			return name
		}
	}
	return ""
}
