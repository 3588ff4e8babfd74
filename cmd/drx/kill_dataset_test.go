package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dataset"
	"drx/internal/enumtest"
)

// weather is a dataset with two variables, a coordinate and a group.
var weather = []string{
	"create @/ds --dataset", "create @/ds/g --dataset",
	"create @/ds/time --dtype int32 --shape 3 --dims time --fill -1",
	"create @/ds/a.drx --dtype int16 --shape 3,4 --chunk 2,3 --dims time,x --fill -1",
	"create @/ds/g/b --dtype int16 --dims time --chunk 2 --fill -1",
	"fill @/ds/time --value 5", "fill @/ds/a --value 6", "fill @/ds/g/b --value 7", "attr @/ds title=old",
}

// A datasetVictim is a verb that changes a dataset.
type datasetVictim struct {
	before []string
	verb   string
	makes  bool // fails if its result exists already
	last   bool // the verb takes effect with its last operation
	long   bool // it has hundreds of operations, so that a test tries only some
}

var datasetVictims = map[string]datasetVictim{
	"create":          {verb: "create @/ds --dataset", makes: true},
	"create variable": {before: weather, verb: "create @/ds/g/c --dtype int8 --dims time", makes: true, last: true},
	"extend":          {before: weather, verb: "extend @/ds --dim time --by 3"},
	"extend low":      {before: weather, verb: "extend @/ds --dim x --by 2 --low"},
	"attr":            {before: weather, verb: "attr @/ds title=new more=1"},
	"shrink":          {before: weather, verb: "shrink @/ds --dim time --by 1"},
	"shrink low":      {before: weather, verb: "shrink @/ds --dim x --by 1 --low"},
	"mv":              {before: weather, verb: "mv @/ds @/ds2", last: true, long: true},
	"rm":              {before: weather, verb: "rm @/ds", long: true},
	"cp":              {before: weather, verb: "cp @/ds @/ds2", makes: true, last: true, long: true},
	"unpack":          {before: append(slices.Clip(weather), "pack @/ds @/ds.pack"), verb: "unpack @/ds.pack @/ds2", makes: true, last: true, long: true},
	"stats":           {before: weather, verb: "stats @/ds/a --over x --mean --count -o @/ds2", makes: true, last: true, long: true},
	"stats into":      {before: weather, verb: "stats @/ds/a --over x --mean -o @/ds/m", makes: true, last: true, long: true},
	"coarsen":         {before: weather, verb: "coarsen @/ds @/ds2 x=2", makes: true, last: true, long: true},
	"fill":            {before: weather, verb: "fill @/ds/a --sel time=5 --method exact --value 9"},
}

// TestKilledDatasets kills the verbs that change datasets before each of their operations. Readers
// must see the dataset as before or as after the verb, in all variables; the next writer must see
// the same, and leave no variable longer than the dataset. If the dataset is as before, the same
// command line must succeed. All this must hold for datasets in a folder and in a file.
func TestKilledDatasets(t *testing.T) {
	for name, v := range datasetVictims {
		t.Run(name, func(t *testing.T) { testKilledDataset(t, v, "", v.moments(t, 3)) })
		t.Run(name+" in one file", func(t *testing.T) { testKilledDataset(t, v, drx.OneFileExt, v.moments(t, 13)) })
	}
}

// moments counts the operations before which a verb is killed: all of them, or every nth one of a
// long verb, unless DRX_SOAK is set.
func (v datasetVictim) moments(t *testing.T, n int) *enumtest.Counter {
	c := enumtest.Of(t)
	if v.long && os.Getenv("DRX_SOAK") == "" {
		c.Every(n)
	}
	return c
}

// testKilledDataset kills one verb. ext is the extension of the names of datasets.
func testKilledDataset(t *testing.T, v datasetVictim, ext string, moments *enumtest.Counter) {
	t.Parallel()
	named := strings.NewReplacer("@/ds2", "@/ds2"+ext, "@/ds", "@/ds"+ext).Replace
	v.verb = named(v.verb)
	bothStates := func(dir string, write bool) string {
		return datasetState(dir, "ds"+ext, write) + " and " + datasetState(dir, "ds2"+ext, write)
	}
	prepared := t.TempDir()
	for _, line := range v.before {
		mustRun(t, prepared, named(line))
	}
	dir := copyOf(t, prepared)
	before := bothStates(dir, false)
	mustRun(t, dir, v.verb)
	after := bothStates(dir, false)
	olds, news := 0, 0
	for n := 1; ; n++ {
		if !moments.Try() {
			continue
		}
		dir := copyOf(t, prepared)
		if !killed(t, dir, v.verb, n) {
			break
		}
		left := bothStates(dir, false)
		switch left {
		case before:
			olds++
		case after:
			news++
		default:
			t.Fatalf("killed before operation %d: left %s\nwant %s\nor   %s", n, left, before, after)
		}
		if n%2 == 0 { // otherwise the same command line is the next writer
			if now := bothStates(dir, true); now != left {
				t.Fatalf("killed before operation %d: left %s\nthe next writer has %s", n, left, now)
			}
		}
		code, complaint := tryRun(dir, v.verb)
		switch again := left == before; {
		case again && (code != 0 || bothStates(dir, true) != after):
			t.Fatalf("killed before operation %d, once more: exit %d, %s: %s\nwant %s", n, code, complaint, bothStates(dir, true), after)
		case v.makes && !again && (code == 0 || !strings.Contains(complaint, "already")):
			t.Fatalf("killed before operation %d, once more: exit %d, %s", n, code, complaint)
		}
	}
	t.Logf("%d kills left it as before, %d as after", olds, news)
	least := 2
	if ext != "" {
		least = 1 // changing an attribute takes one write
	}
	if olds < moments.Share(least) || news < moments.Share(1) && !v.last {
		t.Errorf("%d kills left it as before, %d as after: does it change anything?", olds, news)
	}
}

// datasetState returns a complete description of a dataset, as a reader or as the next writer sees
// it.
func datasetState(dir, name string, write bool) string {
	folder := filepath.Join(dir, name)
	if ok, err := drx.Exists(filepath.Join(folder, dataset.Marker)); !ok || err != nil {
		return absentState
	}
	d, err := dataset.Open(folder, drx.Options{Write: write})
	if errors.Is(err, fs.ErrNotExist) {
		return absentState
	}
	if err != nil {
		return "bad: " + err.Error()
	}
	defer d.Close()
	attrs, err := d.Attrs("")
	state := fmt.Sprintf("%s %v", attrs, d.Groups())
	for _, name := range d.Variables() {
		v, openErr := d.Variable(name)
		if openErr != nil {
			return "bad: " + openErr.Error()
		}
		a, bounds := v.Array(), v.Bounds()
		if write && bounds.String() != a.Bounds().String() {
			return fmt.Sprintf("bad: %s has %v, the dataset %v", name, a.Bounds(), bounds)
		}
		n, _ := bounds.Len()
		elements := make([]byte, n*a.DType().Size())
		err = errors.Join(err, a.ReadBytes(bounds, elements, nil))
		state += fmt.Sprintf("; %s %v %q %s %x", name, bounds, v.Dims(), a.Attrs(), elements)
	}
	if err != nil {
		return "bad: " + err.Error()
	}
	return state
}
