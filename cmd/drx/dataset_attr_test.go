package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dataset"
	"drx/dtype"
)

// attr must show, and be able to delete, attributes that a writer committed with a growth before it
// died.
func TestAttrAfterAWriterThatDied(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, dir, "create @/W --dataset")
	d, err := dataset.Open(filepath.Join(dir, "W"), drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.CreateVariable("t", drx.Spec{DType: dtype.Int8, Shape: []int{1}, Dims: []string{"t"}})
	if err == nil {
		_, err = d.Extend("t", 2)
	}
	if err = errors.Join(err, d.SetAttr("", "note", "x"), d.Sync(), d.SetAttr("", "note", "y"), d.Discard()); err != nil {
		t.Fatal(err)
	}
	output := func(line string) string {
		var out, complaints bytes.Buffer
		if code := run(t.Context(), words(dir, line), strings.NewReader(""), &out, &complaints); code != 0 {
			t.Fatalf("%s: exit %d: %s", line, code, complaints.String())
		}
		return strings.TrimSpace(out.String())
	}
	if got := output("attr @/W"); got != `note  "x"` {
		t.Errorf("listed: %s", got)
	}
	if got := output("attr @/W note"); got != `"x"` {
		t.Errorf("one: %s", got)
	}
	mustRun(t, dir, "attr @/W --delete note")
	mustRun(t, dir, "extend @/W --dim t --by 1 --coordinate fill")
	if got := output("attr @/W"); got != "" {
		t.Errorf("after it was deleted: %s", got)
	}
}

// A dataset or a group that has lost the last change of its attributes is damaged: verify must say
// so, although all variables are intact.
func TestVerifyLostAttributes(t *testing.T) {
	for dataset, groups := range map[string][]string{"W": {"", "/g"}, "W.drx": {""}} {
		for _, group := range groups {
			dir := t.TempDir()
			for _, line := range []string{"create @/%s --dataset", "create @/%s/g --dataset", "create @/%s/g/a --dtype int8 --shape 2", "attr @/%s" + group + " note=old", "attr @/%s" + group + " note=new"} {
				mustRun(t, dir, strings.ReplaceAll(line, "%s", dataset))
			}
			mustRun(t, dir, "verify @/"+dataset)
			log := filepath.Join(dir, dataset)
			if dataset == "W" {
				log = filepath.Join(log, filepath.FromSlash("."+group), ".dataset.xmd")
			}
			loseLine(t, log, `{"attr":{"note":"new"}}`)
			for _, line := range []string{"verify @/" + dataset, "verify @/" + dataset + " --json", "attr @/" + dataset + group} {
				if code, complaint := tryRun(dir, line); code != 1 || !strings.Contains(complaint, ".dataset") || !strings.Contains(complaint, "lost") {
					t.Errorf("%s, of %q: exit %d: %s", line, group, code, complaint)
				}
			}
		}
	}
}

// loseLine overwrites the line of a log that contains a record with zeros.
func loseLine(t *testing.T, file, record string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(content, []byte(record))
	if at < 0 {
		t.Fatalf("%s has no %s", file, record)
	}
	clear(content[at-len("01234567 ") : at+len(record)+1])
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
