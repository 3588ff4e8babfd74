package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dataset"
)

// packed returns the output of drx pack.
func packed(t *testing.T, name string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"pack", name}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("pack %s: exit %d, %s", name, code, &errs)
	}
	return out.Bytes()
}

// unpacked runs drx unpack with a stream.
func unpacked(stream []byte, target string) (code int, complaint string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), []string{"unpack", target}, bytes.NewReader(stream), &out, &errs)
	return code, errs.String()
}

// packedArrays are command lines that make arrays with holes: between chunks, in their slots, and
// at the end.
func packedArrays(codec string) []string {
	return []string{
		"create @/A --dtype int16 --shape 200,300 --chunk 64,128 --dims y,x --fill -1 --codec " + codec,
		"fill @/A --section 0:60,10:300 --value 9", "extend @/A --dim x --by 200 --low", "fill @/A --section 150:200,-3:200 --value 5",
		"extend @/A --dim y --by 700", "attr @/A units=K", "fill @/A --section 700:710,0:5 --value 4",
	}
}

// Arrays of all forms and codecs must be unpacked unchanged, in every form. Those in several files
// must have the same files.
func TestPackArrays(t *testing.T) {
	for _, codec := range []string{"none", "zstd:3", "lz4", "blosc:lz4:5:shuffle"} {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, line := range packedArrays(codec) {
				mustRun(t, dir, line)
			}
			mustRun(t, dir, "cp @/A @/one.drx")
			mustRun(t, dir, "create @/c.drx --dataset")
			mustRun(t, dir, "cp @/A @/c.drx/g")
			want := victim{array: "A"}.state(t, dir)
			for n, from := range []string{"A", "one.drx", "c.drx/g"} {
				stream := packed(t, filepath.Join(dir, from))
				if a, _ := drx.Open(filepath.Join(dir, from), drx.Options{}); !isSmall(t, a, stream) {
					t.Errorf("%s: a stream of %d bytes", from, len(stream))
				}
				for _, to := range []string{"to", "to-one.drx", "c.drx/to"} {
					to = strings.Replace(to, "to", "to"+string(rune('0'+n)), 1)
					if code, complaint := unpacked(stream, filepath.Join(dir, to)); code != 0 {
						t.Fatalf("unpack %s: exit %d, %s", to, code, complaint)
					}
					if got := (victim{array: to}).state(t, dir); got != want {
						t.Errorf("%s to %s: other elements", from, to)
					}
					mustRun(t, dir, "fill @/"+to+" --value 8") // it must be writable
				}
			}
			if code, complaint := unpacked(packed(t, filepath.Join(dir, "A")), filepath.Join(dir, "B")); code != 0 {
				t.Fatal(complaint)
			}
			for _, ext := range []string{".xmd", ".xta", ".xck", ".xpm"} {
				one, err := os.ReadFile(filepath.Join(dir, "A"+ext))
				other, otherErr := os.ReadFile(filepath.Join(dir, "B"+ext))
				if err != nil || otherErr != nil || !bytes.Equal(one, other) {
					t.Errorf("%s: %v, %v, other bytes", ext, err, otherErr)
				}
			}
		})
	}
}

// isSmall reports whether a stream has no holes: it is not longer than the written chunks and some
// descriptions. It closes the array.
func isSmall(t *testing.T, a *drx.Array, stream []byte) bool {
	t.Helper()
	u, err := a.Usage()
	if err = errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	return int64(len(stream)) < u.StoredBytes+u.Written*400+8000
}

// Datasets in folders and in files, also undeclared ones, must be unpacked unchanged in both forms.
func TestPackDatasets(t *testing.T) {
	dir := t.TempDir()
	for _, line := range weather {
		mustRun(t, dir, line)
	}
	mustRun(t, dir, "attr @/ds/g group=mine")
	mustRun(t, dir, "cp @/ds @/one.drx")
	for _, line := range packedArrays("zstd:3") {
		mustRun(t, dir, strings.ReplaceAll(line, "@/A", "@/plain.drx/g/A"))
	}
	want := datasetState(dir, "ds", false)
	for _, from := range []string{"ds", "one.drx"} {
		stream := packed(t, filepath.Join(dir, from))
		for _, to := range []string{"to-" + strings.TrimSuffix(from, drx.OneFileExt), "to-" + from + drx.OneFileExt} {
			if code, complaint := unpacked(stream, filepath.Join(dir, to)); code != 0 {
				t.Fatalf("unpack %s: exit %d, %s", to, code, complaint)
			}
			if got := datasetState(dir, to, false); got != want {
				t.Errorf("%s to %s: %s, want %s", from, to, got, want)
			}
			if got := datasetState(dir, to, true); got != want {
				t.Errorf("%s to %s: the next writer has %s, want %s", from, to, got, want)
			}
			if d, err := dataset.Open(filepath.Join(dir, to), drx.Options{}); err != nil {
				t.Error(err)
			} else if attrs, err := d.Attrs("g"); err != nil || string(attrs["group"]) != `"mine"` || d.Close() != nil {
				t.Errorf("group g has %s, %v", attrs, err)
			}
			if code, complaint := unpacked(stream, filepath.Join(dir, to)); code != cli.ExitFailure || !strings.Contains(complaint, "exist") {
				t.Errorf("once more: exit %d, %s", code, complaint)
			}
		}
	}
	if code, complaint := unpacked(packed(t, filepath.Join(dir, "plain.drx")), filepath.Join(dir, "plain2.drx")); code != 0 {
		t.Fatal(complaint)
	}
	if one, other := (victim{array: "plain.drx/g/A"}).state(t, dir), (victim{array: "plain2.drx/g/A"}).state(t, dir); one != other {
		t.Errorf("%s, want %s", other, one)
	}
}

// A stream with a changed bit must be refused and leave nothing. A truncated stream must not make
// an array either, but leave files with which the next attempt continues, and which rm removes.
// Then the whole stream must be unpacked.
func TestUnpackRefusesDamage(t *testing.T) {
	prepared := t.TempDir()
	for _, line := range append(slices.Clip(weather), makeA, "fill @/A --section 1:3,2:5 --value 3") {
		mustRun(t, prepared, line)
	}
	for _, c := range []struct{ from, to string }{{"A", "B"}, {"A", "B.drx"}, {"ds", "B"}, {"ds", "B.drx"}} {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			stream, dir := packed(t, filepath.Join(prepared, c.from)), t.TempDir()
			t.Parallel()
			to := filepath.Join(dir, c.to)
			refuse := func(what string, at int, b []byte) {
				t.Helper()
				code, complaint := unpacked(b, to)
				if code != cli.ExitFailure || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, "standard input: ") {
					t.Fatalf("%s %d: exit %d, %s", what, at, code, complaint)
				}
				arrays, folders, err := drx.List(dir)
				if err != nil || len(arrays) > 0 || len(folders) > 0 && !strings.HasPrefix(folders[0], ".") {
					t.Fatalf("%s %d: there are %s, %s, %v", what, at, arrays, folders, err)
				}
				kept := strings.Contains(complaint, "the same command with the whole stream goes on")
				if kept && at%2 == 0 {
					mustRun(t, dir, "rm @/"+c.to)
				}
				if left := filesIn(t, dir); len(left) > 0 && (!kept || at%2 == 0) {
					t.Fatalf("%s %d: left %s", what, at, left)
				}
			}
			step := 7
			if os.Getenv("DRX_SOAK") == "" {
				step = len(stream)/40 + 1
			}
			for n := 0; n < len(stream); n += step {
				refuse("cut at", n, stream[:n])
				refuse("cut at", n|1, stream[:n|1])
				changed := bytes.Clone(stream)
				changed[n] ^= 1 << (n % 8)
				refuse("changed at", n, changed)
			}
			refuse("longer", 0, append(bytes.Clone(stream), '\n'))
			refuse("cut at", 1, stream[:len(stream)-1])
			if code, complaint := unpacked(stream, to); code != 0 || !strings.Contains(complaint, "were there already") {
				t.Fatalf("the whole: exit %d, %s", code, complaint)
			}
			if left := filesIn(t, dir); slices.ContainsFunc(left, func(name string) bool { return strings.Contains(name, ".new") || strings.HasPrefix(name, ".B") }) {
				t.Errorf("left %s", left)
			}
		})
	}
}

// pack must keep a file that it was to replace when it was interrupted, and refuse to replace an
// array, and to pack an array that another process changes.
func TestPackKeeps(t *testing.T) {
	dir := t.TempDir()
	for _, line := range append(slices.Clip(grownFive(t, dir)), "cp @/A @/one.drx") {
		mustRun(t, dir, line)
	}
	file := filepath.Join(dir, "A.pack")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, words(dir, "pack @/A @/A.pack"), strings.NewReader(""), &out, &errs)
	if now, err := os.ReadFile(file); code == 0 || string(now) != "old" || err != nil || !slices.Equal(filesIn(t, dir), before) {
		t.Errorf("interrupted: exit %d, %q, %v, files %s", code, now, err, filesIn(t, dir))
	}
	for line, says := range map[string]string{
		"pack @/A @/one.drx": "is an array", "pack @/A @/A.xta": "is an array", "pack @/one.drx @/one.drx": "is an array",
	} {
		if code, complaint := tryRun(dir, line); code != cli.ExitUsage || !strings.Contains(complaint, says) {
			t.Errorf("%s: exit %d, %s", line, code, complaint)
		}
	}
	a, err := drx.Open(filepath.Join(dir, "A"), drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	code = run(context.Background(), words(dir, "pack @/A"), strings.NewReader(""), &out, &errs)
	if code != cli.ExitFailure || out.Len() > 0 || !strings.Contains(errs.String(), "--wait waits for it") {
		t.Errorf("locked: exit %d, %d bytes, %s", code, out.Len(), &errs)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "pack @/A @/A.pack")
	if code, complaint := tryRun(dir, "unpack @/A.pack @/one.drx"); code != cli.ExitFailure || !strings.Contains(complaint, "exists already") {
		t.Errorf("over an array: exit %d, %s", code, complaint)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "unpack @/A.pack @/folder")
	if one, other := (victim{array: "A"}).state(t, dir), (victim{array: "folder/A"}).state(t, dir); one != other {
		t.Errorf("%s, want %s", other, one)
	}
}

// grownFive makes the files that grownA reads, and returns grownA.
func grownFive(t *testing.T, dir string) []string {
	victim{}.prepare(t, dir)
	return grownA
}

// rm must remove what an interrupted unpack or copy of a dataset has left, together with an array
// of that name, and alone. An empty name must not panic.
func TestLeftoversOfOtherKinds(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, dir, "create @/w --dataset")
	mustRun(t, dir, "create @/w/x --dtype int8 --shape 3 --dims x")
	mustRun(t, dir, "create @/A --dtype int8 --shape 3")
	if code, complaint := unpacked(packed(t, filepath.Join(dir, "w"))[:400], filepath.Join(dir, "z")); code != 1 || !strings.Contains(complaint, "goes on") {
		t.Fatalf("exit %d, %s", code, complaint)
	}
	mustRun(t, dir, "cp @/A @/z")
	mustRun(t, dir, "create @/.s.copying --dataset")
	mustRun(t, dir, "rm @/z @/s @/A @/w")
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v are left, %v", files, err)
	}
	mustRun(t, dir, "create @/A --dtype int8 --shape 3")
	stream := packed(t, filepath.Join(dir, "A"))
	if code, complaint := unpacked(stream, ""); code == 0 || !strings.Contains(complaint, "name") {
		t.Errorf("exit %d, %s", code, complaint)
	}
}

// A pack to a file that is killed at random moments, or finds no more room, goes on and ends with
// the file that one pack makes; until then there is no file, and what was left is not written
// again. If the array has changed meanwhile, the file has what it has now, and a note says so.
func TestPackResumes(t *testing.T) {
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(3, 9))
	mustRun(t, dir, "create @/A --dtype uint8 --shape 24,1048576 --chunk 1,1048576")
	a, err := drx.Open(filepath.Join(dir, "A"), drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 24<<20)
	for i := 0; i < len(data); i += 8 {
		binary.LittleEndian.PutUint64(data[i:], rng.Uint64())
	}
	if err := errors.Join(a.WriteBytes(nil, data, nil), a.Close()); err != nil {
		t.Fatal(err)
	}
	want, file := packed(t, filepath.Join(dir, "A")), filepath.Join(dir, "A.pack")
	// no more room: files may have 4 MiB
	full := exec.Command("bash", "-c", `ulimit -f 4096; exec -a drx "$0" pack A A.pack`, os.Args[0])
	full.Dir = dir
	said, err := full.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "what was packed is kept: the same command goes on, 'drx rm A.pack' removes it") {
		t.Fatalf("no room: %v, %s", err, said)
	}
	ended := false
	for n := 0; n < 6 && !ended; n++ {
		cmd, complaint := start(t, dir, io.Discard, "pack", "A", "A.pack")
		time.Sleep(time.Duration(5+rng.IntN(40+10*n)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_, err := os.Stat(file)
		if ended = err == nil; complaint.Len() > 0 && !ended {
			t.Fatalf("killed: %s", complaint)
		}
	}
	code, note := tryRun(dir, "pack @/A @/A.pack")
	got, err := os.ReadFile(file)
	if code != 0 || err != nil || !bytes.Equal(got, want) || !ended && !strings.Contains(note, "were there already, from an interrupted pack") {
		t.Errorf("exit %d, %s, %v, %d bytes, want %d", code, note, err, len(got), len(want))
	}

	leave := func(n int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, ".A.pack.partial"), want[:n], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leave(len(want) - 7)
	if got := output(t, dir, "pack @/A @/A.pack --json"); !strings.Contains(got, fmt.Sprintf(`"resumed":%d}`, len(want)-7)) {
		t.Error(got)
	}
	leave(len(want) / 2)
	mustRun(t, dir, "fill @/A --section 3:4,7:8 --value 1")
	changed := packed(t, filepath.Join(dir, "A"))
	code, note = tryRun(dir, "pack @/A @/A.pack")
	if got, err := os.ReadFile(file); code != 0 || err != nil || !bytes.Equal(got, changed) || !strings.Contains(note, "since then the array, or what was left, has changed") {
		t.Errorf("exit %d, %s, %v, other bytes", code, note, err)
	}
	leave(len(want) / 2)
	mustRun(t, dir, "rm @/A.pack")
	if left := filesIn(t, dir); slices.ContainsFunc(left, func(name string) bool { return strings.Contains(name, "partial") }) || !slices.Contains(left, "A.pack") {
		t.Errorf("rm has left %s", left)
	}
	if code, _ := tryRun(dir, "rm @/A.pack"); code != cli.ExitFailure {
		t.Errorf("rm of a stream: exit %d", code)
	}
}
