package bridgetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/formats"
)

// A Description is the output of testdata/describe.py for an array. Each format has some of the
// fields.
type Description struct {
	Name, DType, SHA256 string
	Shape, Outer, Chunk []int // Outer: the dataset's dimensions; its elements' follow in Shape
	Dims                []string
	Grows               []bool
	Labels              []string
	Rows                []string // the strings themselves, instead of indices
	Attrs               map[string]any
	Error               string // why the reference cannot read it
}

// Describe returns the output of testdata/describe.py for each file, decoded as a T.
func Describe[T any](t testing.TB, b *Bridge, paths ...string) []T {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(b.Python(t, append([]string{"testdata/describe.py"}, paths...)...)))
	all := make([]T, len(paths))
	for i := range all {
		if err := decoder.Decode(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// CompareDescribed calls compare for each array that the reference reads. The bridge must read it
// as well, unless b.Refuses lists it. CompareDescribed returns the number of compared arrays and
// the reasons why others were not compared, or a single reason if the file cannot be listed.
func (b *Bridge) CompareDescribed(t *testing.T, path string, want []Description, compare func(path string, w Description)) (compared int, refused []string) {
	t.Helper()
	c, err := formats.List(path, formats.Options{Format: b.Format})
	reasons := refusals(c, err)
	for _, w := range want { // an unlisted path may be another path to a listed variable
		if w.Error != "" {
			continue
		}
		reason, isRefused := reasons[w.Name]
		if err != nil {
			reason, isRefused = err.Error(), true
		}
		if !isRefused {
			compare(path, w)
			compared++
		} else if !b.mayRefuse(path, w.Name, reason) {
			t.Errorf("%s: %s: the reference reads it, but not the bridge: %s", path, w.Name, reason)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		refused = append(refused, strings.TrimPrefix(name+": "+reasons[name], ": "))
	}
	return compared, refused
}

// refusals returns the reasons by the names of the variables. If the file cannot be listed, it
// returns a single reason, under the empty name.
func refusals(c formats.Content, err error) map[string]string {
	if err != nil {
		return map[string]string{"": err.Error()}
	}
	reasons := map[string]string{}
	for _, v := range c.Vars {
		if v.Refused != "" {
			reasons[v.Name] = v.Refused
		}
	}
	return reasons
}

// mayRefuse reports whether b.Refuses lists a variable of a file, with words of that reason.
func (b *Bridge) mayRefuse(path, name, reason string) bool {
	says, ok := b.Refuses[filepath.Base(path)+" "+name]
	return ok && strings.Contains(reason, says)
}

// CompareListed calls compare for each variable of a file that is not refused, with the reference's
// description of it. want must have exactly these variables, by name. It returns their number.
func (b *Bridge) CompareListed(t *testing.T, path string, want map[string]Description, compare func(path string, v formats.Info, w Description)) (compared int) {
	t.Helper()
	c, err := formats.List(path, formats.Options{Format: b.Format})
	if err != nil {
		t.Error(err)
		return 0
	}
	for _, v := range c.Vars {
		if v.Refused != "" {
			t.Logf("%s: %s: %s", filepath.Base(path), v.Name, v.Refused)
			continue
		}
		w, ok := want[v.Name]
		if !ok {
			t.Errorf("%s: the reference has no %s", path, v.Name)
			continue
		}
		delete(want, v.Name)
		compare(path, v, w)
		compared++
	}
	if len(want) > 0 {
		t.Errorf("%s: arrays are missing: %+v", path, want)
	}
	return compared
}

// CompareArray compares type, shape, labels and elements with the description of the reference.
func CompareArray(t *testing.T, where string, info formats.Info, elements []byte, w Description) {
	t.Helper()
	sum := sha256.Sum256(elements)
	if got := hex.EncodeToString(sum[:]); got != w.SHA256 {
		t.Errorf("%s: other elements than in the reference", where)
	}
	if info.DType.String() != w.DType || !slices.Equal(info.Shape, w.Shape) || !slices.Equal(info.Labels, w.Labels) {
		t.Errorf("%s: %v %v %d labels, the reference has %v %v %d", where, info.DType, info.Shape, len(info.Labels), w.DType, w.Shape, len(w.Labels))
	}
}

// CompareAttributes checks that the array has all attributes of the reference, with equal values in
// JSON.
func CompareAttributes(t *testing.T, where string, got, want map[string]any) {
	t.Helper()
	for name, value := range want {
		text, err := json.Marshal(got[name])
		var again any
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || !reflect.DeepEqual(again, value) {
			t.Errorf("%s: attribute %s is %v, the reference has %v (%v)", where, name, got[name], value, err)
		}
	}
}

// dataRoot returns $DRX_DATA, the folder of real files. Without it the test is skipped.
func dataRoot(t testing.TB) string {
	t.Helper()
	root := os.Getenv("DRX_DATA")
	if root == "" {
		t.Skip("DRX_DATA is not set")
	}
	return root
}

// Data returns the real files whose path below $DRX_DATA matches a pattern. There must be at least
// one.
func Data(t testing.TB, pattern string) []string {
	t.Helper()
	root := dataRoot(t)
	paths, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files in %s, %v", pattern, len(paths), root, err)
	}
	return paths
}

// DataByHead returns the real files below $DRX_DATA whose path and first bytes accept accepts.
// There must be at least one.
func DataByHead(t testing.TB, accept func(path string, head []byte) bool) (paths []string) {
	t.Helper()
	root := dataRoot(t)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		head := make([]byte, formats.HeadSize)
		if n, _ := f.Read(head); accept(path, head[:n]) {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files in %s, %v", len(paths), root, err)
	}
	return paths
}

// CompareData compares files by CompareDescribed, and checks that each reason for refusing an array
// is one line. At least least arrays must be equal: a reference that reads nothing proves nothing.
func (b *Bridge) CompareData(t *testing.T, paths []string, least int, compare func(path string, want []Description) (compared int, refused []string)) {
	t.Helper()
	arrays, refusals := 0, 0
	for i, want := range Describe[[]Description](t, b, paths...) {
		compared, refused := compare(paths[i], want)
		arrays, refusals = arrays+compared, refusals+len(refused)
		for _, reason := range refused {
			if strings.Contains(reason, "\n") {
				t.Errorf("%s: a reason of several lines: %q", paths[i], reason)
			}
			t.Log(filepath.Base(paths[i]) + ": " + reason)
		}
	}
	t.Logf("%d files: %d arrays were compared, %d are refused", len(paths), arrays, refusals)
	if arrays < least {
		t.Errorf("%d arrays were compared, want at least %d", arrays, least)
	}
}
