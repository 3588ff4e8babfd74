package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/storage"
	"drx/cmd/internal/jsontest"
	"drx/dtype"
	"drx/formats"
	"drx/formats/pipe/pipetest"
	"drx/nd"
)

// jsonRuns are command lines for each verb, which run in this order in one folder. An exclamation
// mark begins one that must fail after it has printed its result.
var jsonRuns = []string{
	"create A --dtype int16 --shape 2,3 --chunk 2,2 --dims y,x --fill -1",
	"extend A --dim y --by 2", "extend A --dim x --by 1 --low", "extend A --dim y --by 1 --cubical",
	"shrink A --dim y --by 1",
	"write A --at 0,0 in.npy",
	"append A --dim y row.npy",
	"append frames --dim time --create --label mo --label tu in.npy in.npy",
	"append cube --coords day,item --value sold --create sales.csv",
	"reserve A --dim y --by 1",
	"fill A --value 7 --section 0,::2",
	"attr A units=mm limit=9007199254740993", "attr A", "attr A --delete limit",
	"import in.npy made", "import in.npy made1 --codec lz4", "import in.npy in.npy grown --append y", "import in.npy --list", "import all.hdf5 --list", "import all.hdf5 set",
	"export A out.npy --section 0:1,0:2", "export set set.hdf5", "export cube cube.hdf5",
	"create empty --dtype float64 --shape 0", "attr empty",
	"labels cube", "labels cube --dim item", "labels cube --dim item --level kind=kinds.csv", "labels A --dim x --set-from -",
	"info A", "info cube", "info empty",
	"create packed --dtype int32 --shape 64,512 --chunk 64,512 --codec zstd:3", "fill packed --value 7", "info packed",
	"create weather/ --dataset", "create weather/time --dtype int32 --shape 0 --dims time", "create weather/rain --dtype float32 --shape 0,2 --dims time,x",
	"attr weather title=rain", "attr weather/time units=d_since_2024-01-01", "extend weather/ --dim time --by 2", "info weather/",
	"cp weather/ w0", "append weather/ --dim time --any-order --as-stored w0",
	"shrink weather/ --dim time --by 1", "extend weather/ --dim time --by 1 --coordinate fill", "verify weather/", "!verify bad/", "compact weather/", "cp weather/ w2", "export weather/ w.hdf5 --append time", "export weather/ w.hdf5 --append time", "write weather/ w.hdf5", "mv w2/ w3", "rm w3/",
	"read weather/rain --sel time=0..1 --at x=1", "stats weather/rain --over x --sel time=1", "ls weather",
	"ls", "log A", "watch A --since 0 --count 9", "info mixed", "log mixed", "watch mixed --since 0 --count 2",
	"addr A --element 1,2", "addr A --chunk 1,0", "addr A --number 2",
	"read A", "read A --order 1,0 --section 1,:", "read cube --sel item=ink|pen", "read wide", "read empty",
	"stats A", "stats A --over y --mean --percentile 90", "stats A --over x --count", "stats A --every y=2 --max", "stats weather/rain --by time --by x --max", "stats wide --max", "stats empty --min",
	"map A", "map A --at y=0 -o map.png", "map --order all --shape 2,3",
	"view A", "view A -o a.png", "view A --animate y -o a.gif", "view A --lines y -o a.svg", "view A --rgb 0,1,2 --bands y -o a.png", "view empty1 --dims y,x",
	"advise A --access 1,2 --access 2,1:2 --block 64 --stripe 4KiB", "advise --access 4 --block 64", "advise A --from-log=log", "advise packed --codec",
	"create tiny --dtype int8 --shape 4096,256 --chunk 4,256", "fill tiny --value 7", "advise tiny --access 1,256", "advise tiny --access 512,256", "advise tiny --codec",
	"cut A shorter --at x=1 --plan", "cut A shorter --at x=1", "cut weather shorterweather --at time=1", "sort weather sorted --by time",
	"coarsen weather coarse time=2", "fill weather/time --value 1 --section 1", "fill weather/time --value 2 --section 2", "fill weather/time --value 3 --section 3", "regrid weather/rain later --to time=0.5 --method nearest",
	"copy A B --chunk 3,3 --plan", "copy A B --chunk 3,3", "copy A B --chunk 3,3 --resume",
	"compact B", "recompress B --codec zstd:3",
	"verify B", "!verify damaged", "!verify short",
	"diff A A", "cp wide wide2", "fill wide2 --value 3 --section 0", "!diff wide wide2", "!diff A in.npy", "!diff weather set",
	"recover B C", "!recover damaged D", "!recover short E", "recover short --in-place",
	"adddim A z", "rename A z depth", "log A",
	"pack B B.pack", "unpack B.pack B4", "pack weather/ w.pack", "unpack w.pack w4", "mv B B2", "cp B2 B3", "rm B2 B3 B4 C", "convert A", "convert A.drx", "rm A.xmd",
	"demo --dir tour", "doctor .",
	"hyper synth made2 --spectra minerals.csv --lines 20 --samples 24 --patch 8 --snr 40",
	"hyper info made2/scene", "hyper info made2/scene --draw scene.png",
	"hyper stats made2/scene", "hyper stats made2/scene --matrices",
	"hyper count made2/scene", "hyper count made2/scene --method hfc",
	"hyper pct made2/scene --count 2 --matrix", "hyper mnf made2/scene --explain 0.9 -o mnf",
	"hyper endmembers made2/scene --method nfindr --count 4 -o E.json", "hyper endmembers made2/scene --method sisal --count 4",
	"hyper abundance made2/scene --endmembers E.json -o abundance",
	"hyper classify made2/scene --endmembers E.json --rounds 2", "hyper classify made2/scene --endmembers E.json --truth made2/classes -o classes",
	"create goal --dtype int8 --shape 20,24", "fill goal --value 1 --section :3,:3", "hyper detect made2/scene --method rx --truth goal", "hyper detect made2/scene --method cem --target 3,4 -o found",
	"hyper score --endmembers E.json --truth minerals.csv", "hyper score --endmembers E.json --truth minerals.csv --abundance abundance --true-abundance made2/abundances",
	"hyper watch made2/scene --once --method nfindr --count 4 --mean 3 -o parts --compare 2", "hyper watch made2/scene --once --method atgp --count 13 --state two", "hyper watch made2/scene --once --method sisal --count 4 --state three",
}

// TestJSON runs every verb with --json and compares the output with docs/JSON.md.
func TestJSON(t *testing.T) {
	page := jsontest.Read(t, "../../docs/JSON.md")
	t.Chdir(t.TempDir())
	makeJSONFiles(t)
	tested := map[string]bool{}
	for _, line := range jsonRuns {
		line, fails := strings.CutPrefix(line, "!")
		args := append(strings.Fields(line), "--json")
		verb := verbIn(args)
		if strings.HasSuffix(args[1], "/") && args[0] != "ls" {
			verb += " FOLDER"
		}
		if verb == "advise" && slices.Contains(args, "--codec") {
			verb += " --codec"
		}
		section := page["drx "+verb]
		if section == nil && strings.HasSuffix(verb, " FOLDER") && slices.Contains([]string{"cp", "export", "mv", "pack", "rm"}, args[0]) {
			verb = args[0] // the same as for arrays
			section = page["drx "+verb]
		}
		if section == nil {
			t.Fatalf("docs/JSON.md has no section about drx %s", verb)
		}
		tested[verbIn(args)], tested[verb] = true, true
		var out, errs bytes.Buffer
		code := run(context.Background(), args, strings.NewReader("a\nb\n"), &out, &errs)
		if want := map[bool]int{true: cli.ExitFailure}[fails]; code != want || fails == (errs.Len() == 0) && verb != "diff" {
			t.Errorf("%s: exit code %d, want %d: %s", line, code, want, &errs)
			continue
		}
		section.Check(t, out.String())
	}
	// These are the fields of damages that are hard to make.
	var out bytes.Buffer
	if err := storage.PrintRecoveryJSON(&out, "F", drx.RecoverReport{FileDamage: "a record", LostBytes: 1, LostRecords: 1, LogDamage: "a line", JournalDamage: "a change", Missing: []string{"F.xta"}, Lost: []drx.Damage{}}); err != nil {
		t.Error(err)
	}
	page["drx recover"].Check(t, out.String())
	for _, verb := range allVerbs() {
		if !tested[verb] {
			t.Errorf("%s has no run with --json here", verb)
			continue
		}
		page["drx "+verb].Done(t)
		if folder := verb + " FOLDER"; page["drx "+folder] != nil {
			if !tested[folder] {
				t.Errorf("%s has no run with --json here", folder)
			}
			page["drx "+folder].Done(t)
		}
	}
}

// TestJSONMistakes combines --json with flags that use standard output for something else.
func TestJSONMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	makeJSONFiles(t)
	for _, line := range []string{
		"read wide --csv", "read wide --long", "read wide -o wide.npy", "stats wide -o sum.csv", "stats wide -o sums", "view wide -o -", "map wide -o -", "pack wide", "pack wide -",
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), append(strings.Fields(line), "--json"), strings.NewReader(""), &out, &errs)
		if code != cli.ExitUsage || out.Len() > 0 || !strings.Contains(errs.String(), "--json and ") {
			t.Errorf("%s: exit code %d, %s%s", line, code, &out, &errs)
		}
	}
}

// makeJSONFiles makes the files that the command lines read.
func makeJSONFiles(t *testing.T) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, shape := range map[string][]int{"in.npy": {2, 3}, "row.npy": {1, 5}} {
		f, err := os.Create(name)
		check(err)
		w, err := formats.Create(f, "npy", formats.Info{DType: dtype.Int16, Shape: shape})
		check(err)
		check(w.WriteSection(nil, make([]byte, 2*shape[0]*shape[1])))
		check(w.Close())
		check(f.Close())
	}
	all := weatherFile()
	all.Vars = append(all.Vars, pipetest.Var{Name: "names", DType: "uint32", Shape: []int{2}, Labels: []string{"a", "b", "c"}})
	makeFile(t, "all.hdf5", all)
	check(os.WriteFile("sales.csv", []byte("day,item,sold\nmo,ink,1.5\nmo,pen,NaN\ntu,ink,Inf\n"), 0o600))
	check(os.WriteFile("kinds.csv", []byte("item,kind\nink,fluid\npen,solid\n"), 0o600))
	check(os.WriteFile("minerals.csv", []byte(minerals), 0o600))
	check(os.WriteFile("log", []byte(`{"op":"read","box":[1,3],"count":4}`+"\n"), 0o600))
	array := func(name string, spec drx.Spec) *drx.Array {
		a, err := drx.Create(name, spec)
		check(err)
		return a
	}
	wide := array("wide", drx.Spec{DType: dtype.Uint64, Shape: []int{2}})
	check(drx.Write(wide, nil, []uint64{1<<64 - 1, 1 << 53}))
	check(wide.Close())
	check(array("empty1", drx.Spec{DType: dtype.Float32, Shape: []int{2, 2}, Dims: []string{"y", "x"}, FillValue: "NaN"}).Close())

	// The recompression of mixed was interrupted.
	mixed := array("mixed", drx.Spec{DType: dtype.Int32, Shape: []int{4096}})
	check(drx.Write(mixed, nil, make([]int32, 4096)))
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := mixed.Recompress(stopped, "lz4", nil); !errors.Is(err, context.Canceled) || !mixed.Recompressing() {
		t.Fatal(err)
	}
	check(mixed.Close())
	check(os.WriteFile("broken.xmd", []byte("no log\n"), 0o600))

	// In damaged a chunk has changed; short has lost the last line of its log.
	for _, name := range []string{"damaged", "short"} {
		a := array(name, drx.Spec{DType: dtype.Int32, Shape: []int{4}, ChunkShape: []int{2}})
		check(drx.Write(a, nil, []int32{1, 2, 3, 4}))
		check(a.Sync())
		check(a.SetAttr("units", "m"))
		check(drx.Write(a, nd.Sec(nd.Span(0, 2)), []int32{5, 6}))
		check(a.Close())
	}
	f, err := os.OpenFile("damaged.xta", os.O_WRONLY, 0)
	check(err)
	_, err = f.WriteAt([]byte{9}, 1)
	check(err)
	check(f.Close())
	text, err := os.ReadFile("short.xmd")
	check(err)
	lines := strings.SplitAfter(string(text), "\n")
	check(os.WriteFile("short.xmd", []byte(strings.Join(lines[:len(lines)-2], "")), 0o600))

	check(os.Mkdir("bad", 0o777))
	for _, name := range []string{"damaged", "short"} {
		files, err := filepath.Glob(name + ".*")
		check(err)
		for _, file := range files {
			check(os.Link(file, filepath.Join("bad", file)))
		}
	}
}
