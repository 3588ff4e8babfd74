package cli

import "testing"

func TestByteSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 3 << 29: "1.5 GiB", 1<<63 - 1: "8.0 EiB",
	} {
		if got := ByteSize(n); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
}

func TestShown(t *testing.T) {
	for name, want := range map[string]string{
		"radar": "radar", "déjà vu": "déjà vu", "温度": "温度", "": "", `a"b\`: `a"b\`,
		"a\nb": `"a\nb"`, "\x1b[0m": `"\x1b[0m"`, "a\xff": `"a\xff"`, "\u200b": `"\u200b"`, "\u00a0": `"\u00a0"`,
	} {
		if got := Printable(name); got != want {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
}
