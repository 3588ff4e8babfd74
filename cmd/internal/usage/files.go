package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"

	"drx/formats"
	"drx/internal/fileset"
	"drx/internal/wording"
)

// joinedType is the type of errors that errors.Join returns.
var joinedType = reflect.TypeOf(errors.Join(fs.ErrInvalid))

// FileError rewords the error of a verb that failed because a file is missing or in the way, so
// that it names arrays, which users know, and not their files. It also appends the command that
// follows the advice of a library. Other errors are returned unchanged.
func FileError(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && reflect.TypeOf(err) == joinedType {
		var each []error
		for _, e := range joined.Unwrap() {
			each = append(each, FileError(e))
		}
		return errors.Join(each...)
	}
	var advised *fileset.Advice
	if errors.As(err, &advised) {
		return wording.Reworded(fmt.Sprintf("%v (%s)", err, recoverVerb(advised)), err)
	}
	path, whole := pathError(err)
	if path == nil {
		return err
	}
	switch {
	case errors.Is(path, fs.ErrNotExist) && isLog(path.Path) && isFolder(filepath.Dir(path.Path)):
		return reword(err, whole, noArray(path.Path))
	case errors.Is(path, fs.ErrNotExist) && containerOf(path.Path) != "":
		file := containerOf(path.Path)
		return reword(err, whole, fmt.Sprintf("no array %q in %q; 'drx ls %s' lists arrays", filepath.Base(arrayName(path.Path)), file, file))
	case errors.Is(path, fs.ErrNotExist) && isPart(path.Path):
		return appendHint(err, whole, missingPart(path.Path))
	case errors.Is(path, fs.ErrNotExist):
		return appendHint(err, whole, missing(path))
	case errors.Is(path, fs.ErrExist) && isLog(path.Path):
		return reword(err, whole, fmt.Sprintf("an array %q exists already; choose another name, or remove it with 'drx rm'", arrayName(path.Path)))
	case errors.Is(path, fs.ErrPermission):
		return appendHint(err, whole, notAllowed(path.Path))
	case errors.Is(path, syscall.ENOTDIR):
		if file := fileOnTheWay(path.Path); file != "" {
			return reword(err, whole, fmt.Sprintf("%q is a file, not a folder", file))
		}
	}
	return err
}

// recoverVerb returns the command that follows a library's advice.
func recoverVerb(a *fileset.Advice) string {
	if a.InPlace {
		return "drx recover, with --in-place or a new name"
	}
	return "drx recover"
}

// reword returns err with the text of its cause replaced. The text before the cause, the names of
// the array and the operation, is left out.
func reword(err error, cause, text string) error {
	_, after, _ := strings.Cut(err.Error(), cause)
	return wording.Reworded(text+after, err)
}

// appendHint returns err with a hint inserted behind its cause.
func appendHint(err error, cause, hint string) error {
	if hint == "" {
		return err
	}
	return wording.Reworded(strings.Replace(err.Error(), cause, cause+hint, 1), err)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// pathError returns the cause of an error if it is about a file, with its text. An error about two
// names, as of a rename, is about the missing one. The text omits the name of the file if the error
// has it already.
func pathError(err error) (*fs.PathError, string) {
	var path *fs.PathError
	if errors.As(err, &path) {
		if text := path.Error(); strings.Contains(err.Error(), text) {
			return path, text
		}
		return path, path.Err.Error()
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return &fs.PathError{Op: link.Op, Path: link.New, Err: link.Err}, link.Error()
	}
	if err == nil {
		return nil, ""
	}
	if text := missingLog.FindStringSubmatch(err.Error()); text != nil {
		return &fs.PathError{Op: "open", Path: text[1], Err: syscall.ENOENT}, text[0]
	}
	return nil, ""
}

// missingLog finds a missing log in the text of an error. In a parallel program the error may come
// from another process, as text only, so its type is lost.
var missingLog = regexp.MustCompile(`open (\S.*` + regexp.QuoteMeta(fileset.LogExt) + `): ` + syscall.ENOENT.Error())

// containerOf returns the file with several arrays in which a path is, or "".
func containerOf(path string) string {
	if file := fileOnTheWay(path); fileset.OneFile(file) {
		return file
	}
	return ""
}

// arrayName returns the name by which users know the array whose log is at a path.
func arrayName(log string) string {
	if containerOf(log) != "" {
		return strings.TrimSuffix(log, fileset.OneFileExt)
	}
	return fileset.BaseName(log)
}

// isLog reports whether a file is the log of an array, without which there is no array.
func isLog(path string) bool {
	name := fileset.BaseName(path)
	return fileset.OneFile(path) || name != path && path == fileset.Log(name)
}

// likelyArray returns the array of a folder with the most bytes, because coordinates are small, or
// "" if there is none.
func likelyArray(dir string) (name string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	most := int64(-1)
	for _, e := range entries {
		if !isLog(e.Name()) || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		array, n := filepath.Join(dir, fileset.BaseName(e.Name())), int64(0)
		if info, err := os.Stat(fileset.Data(array)); err == nil {
			n = info.Size()
		}
		if n > most {
			name, most = array, n
		}
	}
	return name
}

// isPart reports whether a file belongs to an array that has a log.
func isPart(path string) bool {
	name := fileset.BaseName(path)
	_, err := os.Stat(fileset.Log(name))
	return name != path && path != fileset.Log(name) && err == nil
}

// missingPart returns a hint for a file of an array that is missing.
func missingPart(path string) string {
	name := fileset.BaseName(path)
	if path == fileset.Presence(name) {
		return fmt.Sprintf("; it records which chunks were written; rebuild it with drx recover %s --in-place", name)
	}
	return fmt.Sprintf("; drx recover %s NEW saves what can be saved", name)
}

// missing returns a hint for a file that does not exist, or "".
func missing(path *fs.PathError) string {
	dir := filepath.Dir(path.Path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf(": there is no folder %q", dir)
	}
	if path.Op != "open" || fileset.BaseName(path.Path) != path.Path {
		return ""
	}
	if _, err := os.Stat(fileset.Log(path.Path)); err == nil {
		return fmt.Sprintf(": %q is an array; 'drx read -o' writes it to a file, 'drx copy' copies it", path.Path)
	}
	return near(path.Path, false)
}

// noArray says that there is no array with this log, and what exists instead.
func noArray(log string) string {
	name := fileset.BaseName(log)
	if _, err := os.Stat(fileset.Data(name)); err == nil {
		return fmt.Sprintf("array %q has no log: without %s its other files cannot be read", name, log)
	}
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir() && likelyArray(name) != "":
		return fmt.Sprintf("%q is a folder of arrays, not an array; name one of them, as in %s ('drx ls %s' lists them); whole datasets are for attr, coarsen, compact, copy --sort, cp, cut, diff, export, extend, import, info, mv, pack, regrid, rename, rm, shrink, sort, verify and write",
			name, likelyArray(name), name)
	case err == nil && info.IsDir():
		return fmt.Sprintf("%q is a folder, not an array; 'drx ls %s' lists the arrays in it", name, name)
	case err == nil:
		return notArray(name)
	}
	where, list := "here", "drx ls"
	if dir := filepath.Dir(name); dir != "." {
		where, list = fmt.Sprintf("in %q", dir), "drx ls "+dir
	}
	hint := near(log, true)
	if hint == "" {
		hint = fmt.Sprintf("; '%s' lists arrays", list)
	}
	return fmt.Sprintf("no array %q %s%s", filepath.Base(name), where, hint)
}

// notAllowed returns a hint for a file that a user may not create, or "".
func notAllowed(path string) string {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return fmt.Sprintf(": you may not create files in folder %q", filepath.Dir(path))
}

// fileOnTheWay returns the first parent of a path that is a file instead of a folder, or "".
func fileOnTheWay(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// notArray says what kind of file the user named instead of an array.
func notArray(name string) string {
	r, err := formats.Open(name, formats.Options{})
	if err == nil {
		r.Close()
		return fmt.Sprintf("%s is a file of another format, not an array; 'drx append' and 'drx write' read it into one", name)
	}
	if errors.Is(err, formats.ErrNotRead) {
		return fmt.Sprintf("not an array: %v", err)
	}
	return fmt.Sprintf("%s is a file, but not one of an array; 'drx ls' lists arrays", name)
}

// near returns a question that suggests another name in the same folder: the name of a file or,
// with arrays, of an array that is nearest to the missing one.
func near(path string, arrays bool) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		switch own := fileset.BaseName(e.Name()); {
		case arrays && isLog(e.Name()) && !e.IsDir():
			names = append(names, own)
		case !arrays && own == e.Name() && !e.IsDir() && !fileset.OneFile(own):
			names = append(names, own)
		}
	}
	word := filepath.Base(path)
	if arrays {
		word = fileset.BaseName(word)
	}
	found := Nearest(word, names)
	if found == "" {
		return ""
	}
	if dir := filepath.Dir(path); dir != "." {
		found = filepath.Join(dir, found)
	}
	return fmt.Sprintf("; did you mean %q?", found)
}
