package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/internal/enumtest"
)

// A repeated verb must, if it is repeated after a kill, leave the same as the undisturbed verb.
type repeated struct {
	before []string
	verb   string
	long   bool // hundreds of operations, so that a test tries only some
	// says has the possible messages of the repeated verb after a kill.
	says []string
}

var repeats = map[string]repeated{
	"mv":                {before: grownA, verb: "mv @/A @/B"},
	"mv to one file":    {before: grownA, verb: "mv @/A @/B.drx"},
	"mv to several":     {before: append(slices.Clip(grownA), "convert @/A"), verb: "mv @/A.drx @/B"},
	"convert":           {before: grownA, verb: "convert @/A"},
	"convert to B":      {before: grownA, verb: "convert @/A @/B.drx"},
	"convert back":      {before: append(slices.Clip(grownA), "convert @/A"), verb: "convert @/A.drx"},
	"convert back to B": {before: append(slices.Clip(grownA), "convert @/A"), verb: "convert @/A.drx @/B"},
	"rm":                {before: grownA, verb: "rm @/A"},
	"cp":                {before: grownA, verb: "cp @/A @/B", says: []string{"B: was copied already, by a drx cp that was interrupted"}},
	"cp to one file":    {before: grownA, verb: "cp @/A @/B.drx"},
	"unpack":            {before: append(slices.Clip(grownA), "pack @/A @/out.pack"), verb: "unpack @/out.pack @/B"},
	"unpack to a file":  {before: append(slices.Clip(grownA), "pack @/A @/out.pack"), verb: "unpack @/out.pack @/B.drx"},
	"unpack a member":   {before: append(slices.Clip(weatherInFile), "pack @/ds.drx/a @/out.pack"), verb: "unpack @/out.pack @/ds.drx/c", long: true},
	"unpack a dataset":  {before: append(slices.Clip(weather), "pack @/ds @/out.pack"), verb: "unpack @/out.pack @/ds2.drx", long: true},
	"create":            {verb: makeA},
	"copy --resume":     {before: grownA, verb: "copy @/A @/B.drx --chunk 4,1 --resume"},

	"create a member":            {before: weatherInFile, verb: "create @/ds.drx/new --dtype int8 --shape 3", long: true},
	"create the first member":    {verb: "create @/w.drx/a --dtype int8 --shape 3", long: true},
	"mv a member":                {before: weatherInFile, verb: "mv @/ds.drx/a @/ds.drx/c", long: true},
	"rm a member":                {before: weatherInFile, verb: "rm @/ds.drx/a", long: true},
	"cp a member":                {before: weatherInFile, verb: "cp @/ds.drx/a @/ds.drx/c", long: true},
	"cp out":                     {before: weatherInFile, verb: "cp @/ds.drx/a @/c", long: true},
	"mv a container":             {before: weatherInFile, verb: "mv @/ds.drx @/ds2.drx", long: true},
	"rm a container":             {before: weatherInFile, verb: "rm @/ds.drx", long: true},
	"cp a container":             {before: weatherInFile, verb: "cp @/ds.drx @/ds2.drx", long: true},
	"cp to a file":               {before: weather, verb: "cp @/ds @/ds2.drx", long: true},
	"mv a dataset":               {before: weather, verb: "mv @/ds @/ds2", long: true},
	"rm a dataset":               {before: weather, verb: "rm @/ds", long: true},
	"cp a dataset":               {before: weather, verb: "cp @/ds @/ds2", long: true},
	"create --dataset":           {verb: "create @/ds --dataset"},
	"create --dataset in a file": {verb: "create @/ds.drx --dataset"},

	"mv into a group":        {before: weatherInFile, verb: "mv @/ds.drx/a @/ds.drx/g/c", long: true},
	"mv a variable":          {before: weather, verb: "mv @/ds/g/b @/ds/g/c", long: true},
	"compact":                {before: append(slices.Clip(grownA), "shrink @/A --dim x --by 3 --low"), verb: "compact @/A", long: true},
	"compact a member":       {before: append(slices.Clip(weatherInFile), "extend @/ds.drx --dim x --by 2 --low"), verb: "compact @/ds.drx/a", long: true},
	"compact a container":    {before: append(slices.Clip(weatherInFile), "extend @/ds.drx --dim x --by 2 --low"), verb: "compact @/ds.drx", long: true},
	"compact a dataset":      {before: append(slices.Clip(weather), "extend @/ds --dim x --by 2 --low"), verb: "compact @/ds", long: true},
	"recover":                {before: grownA, verb: "recover @/A @/B", says: []string{"if an interrupted recovery made it, it is whole"}},
	"recover to one file":    {before: grownA, verb: "recover @/A @/B.drx"},
	"recover a member":       {before: weatherInFile, verb: "recover @/ds.drx/a @/ds.drx/c", long: true},
	"copy --sort a dataset":  {before: append(slices.Clip(weather), "fill @/ds/time --at time=0 --value 9"), verb: "copy @/ds @/ds2 --sort time", long: true},
	"copy --sort a file":     {before: append(slices.Clip(weatherInFile), "fill @/ds.drx/time --at time=0 --value 9"), verb: "copy @/ds.drx @/ds2.drx --sort time", long: true},
	"cut a dataset":          {before: weather, verb: "cut @/ds @/ds2 --at time=1 --resume", long: true},
	"export to zarr":         {before: weather, verb: "export @/ds @/o.zarr", long: true},
	"import to a file":       {before: append(slices.Clip(weather), "export @/ds @/out.zarr"), verb: "import @/out.zarr @/ds2.drx", long: true},
	"rm a member of a group": {before: weatherInFile, verb: "rm @/ds.drx/g/b", long: true},

	"import":             {before: append(slices.Clip(grownA), "export @/A @/out.npy"), verb: "import @/out.npy @/B"},
	"import to one file": {before: append(slices.Clip(grownA), "export @/A @/out.npy"), verb: "import @/out.npy @/B.drx"},
	"import a dataset":   {before: append(slices.Clip(weather), "export @/ds @/out.zarr"), verb: "import @/out.zarr @/ds2", long: true},
}

// weatherInFile is the dataset weather in a file.
var weatherInFile = func() (lines []string) {
	for _, line := range weather {
		lines = append(lines, strings.ReplaceAll(line, "@/ds", "@/ds.drx"))
	}
	return lines
}()

// TestKilledThenRepeated kills verbs before each of their operations, some of them twice, and then
// repeats the same command line. The result must be that of the undisturbed verb, down to the names
// of the files. If the repeated verb fails because the killed one was complete, it must say what
// exists already, or does not exist.
func TestKilledThenRepeated(t *testing.T) {
	for name, r := range repeats {
		t.Run(name, func(t *testing.T) { testKilledThenRepeated(t, r) })
	}
}

func testKilledThenRepeated(t *testing.T, r repeated) {
	t.Parallel()
	prepared := t.TempDir()
	victim{before: r.before}.prepare(t, prepared)
	whole := copyOf(t, prepared)
	mustRun(t, whole, r.verb)
	want := everything(t, whole)
	moments, kills, unsaid := enumtest.Of(t), 0, slices.Clone(r.says)
	if r.long {
		moments.Every(17)
	}
	for n := 1; ; n++ {
		if !moments.Try() {
			continue
		}
		dir := copyOf(t, prepared)
		if !killed(t, dir, r.verb, n) {
			break
		}
		kills++
		what := fmt.Sprintf("killed before operation %d", n)
		if n%3 == 0 {
			second := 1 + n*7%5
			if _, again := killedOrFailed(t, dir, r.verb, second); again {
				what += fmt.Sprintf(", and again before operation %d", second)
			}
		}
		code, complaint := tryRun(dir, r.verb)
		if code != 0 && strings.Contains(complaint, "--resume") {
			code, complaint = tryRun(dir, r.verb+" --resume")
		}
		unsaid = slices.DeleteFunc(unsaid, func(text string) bool { return strings.Contains(complaint, text) })
		if code != 0 { // it was complete; the next writer removes what is left
			tidy(t, dir)
		}
		if got := everything(t, dir); got != want {
			t.Fatalf("%s, once more: exit %d, %s\nnow %s\nwant %s", what, code, complaint, unlike(got, want), unlike(want, got))
		}
		if code != 0 && !strings.Contains(complaint, "exist") && !strings.Contains(complaint, "already") && !strings.Contains(complaint, "no array") {
			t.Fatalf("%s, it is done, once more: exit %d, %s", what, code, complaint)
		}
	}
	if kills < moments.Share(3) {
		t.Errorf("%d kills: does it change anything?", kills)
	}
	if len(unsaid) > 0 {
		t.Errorf("never said: %q", unsaid)
	}
}

// everything returns a complete description of the files in a folder, and of the arrays in them.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		name := strings.TrimPrefix(path, dir)
		fmt.Fprintf(&b, "\n%s", name)
		base, isLog := strings.CutSuffix(name, ".xmd")
		switch {
		case err != nil || e.IsDir():
			return err
		case drx.IsContainer(path):
			arrays, err := containerArrays(path, "")
			if err != nil {
				return err
			}
			for _, array := range arrays {
				fmt.Fprintf(&b, "\n%s/%s: %s", name, array, victim{array: name + "/" + array}.state(t, dir))
			}
		case isLog:
			b.WriteString(": " + victim{array: base}.state(t, dir))
		case strings.HasSuffix(name, drx.OneFileExt):
			b.WriteString(": " + victim{array: name}.state(t, dir))
		case strings.HasSuffix(name, ".xta") || strings.HasSuffix(name, ".xck") || strings.HasSuffix(name, ".xpm"):
		default:
			content, err := os.ReadFile(path)
			fmt.Fprintf(&b, ": %x", content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return creating.ReplaceAllString(b.String(), "")
}

// creating matches the number of variable creations of a dataset, which also counts those that were
// not completed.
var creating = regexp.MustCompile(`dataset\.creating:{"number":[0-9]+} ?`)

// tidy opens the arrays in a folder for writing, which completes or rolls back what a killed writer
// has left.
func tidy(t *testing.T, dir string) {
	t.Helper()
	for _, file := range filesIn(t, dir) {
		name := drx.BaseName(filepath.Join(dir, file))
		if is, err := drx.Exists(name); err != nil || !is {
			continue
		}
		a, err := drx.Open(name, drx.Options{Write: true})
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// unlike returns the lines of a text that another one lacks.
func unlike(text, other string) string {
	others := strings.Split(other, "\n")
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return slices.Contains(others, line) })
	return strings.Join(lines, "\n")
}

// containerArrays returns the names of the arrays in a container.
func containerArrays(container, group string) ([]string, error) {
	arrays, groups, err := drx.List(filepath.Join(container, group))
	for i := range arrays {
		arrays[i] = filepath.Join(group, arrays[i])
	}
	for _, g := range groups {
		inside, groupErr := containerArrays(container, filepath.Join(group, g))
		if arrays = append(arrays, inside...); groupErr != nil {
			return nil, groupErr
		}
	}
	return arrays, err
}
