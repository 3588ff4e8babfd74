package main

import (
	"strings"
	"testing"

	"drx/cmd/internal/usage"
	"drx/formats"
)

// TestTopics: a topic must have a unique name, and its lines must fit a terminal.
func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range newRoot().Commands() {
		if seen[cmd.Name()] {
			t.Errorf("two commands or topics are called %s", cmd.Name())
		}
		seen[cmd.Name()] = true
	}
	for _, topic := range topics() {
		for line := range strings.Lines(topic.text) {
			if len(line) > 102 {
				t.Errorf("%s: a line of %d bytes: %s", topic.name, len(line), line)
			}
		}
	}
}

// TestFormatsTopic: the topic must list every format that can be read.
func TestFormatsTopic(t *testing.T) {
	for _, f := range formats.Formats() {
		for _, ext := range f.Extensions {
			if f.Open != nil && !strings.Contains(formatsTopic(), ext) {
				t.Errorf("the topic lacks %s", ext)
			}
		}
	}
}

// TestFamiliarWords: words of other programs must be answered with verbs that exist, and none of
// these words may be a verb.
func TestFamiliarWords(t *testing.T) {
	root := newRoot()
	verbs := map[string]bool{}
	for _, cmd := range root.Commands() {
		verbs[cmd.Name()] = true
	}
	for _, cmd := range root.Commands() {
		for _, word := range cmd.SuggestFor {
			if verbs[word] {
				t.Errorf("%s is suggested for %s, which is a verb", cmd.Name(), word)
			}
		}
	}
	for word, want := range map[string]string{
		"list": "ls", "dir": "ls", "tree": "ls", "h5ls": "ls", "du": "ls", "ncdump": "info", "h5dump": "info",
		"show": "info", "gdalinfo": "info", "sinfo": "info", "head": "info", "describe": "info", "cat": "read",
		"tail": "read", "ncks": "read", "select": "read", "slice": "read", "plot": "view", "draw": "view",
		"imshow": "view", "ncview": "view", "png": "view", "statistics": "stats", "mean": "stats", "max": "stats",
		"groupby": "stats", "rechunk": "copy", "translate": "copy", "gdal_translate": "copy", "transpose": "copy",
		"nccopy": "copy", "delete": "rm", "remove": "rm", "del": "rm", "move": "mv",
		"ncrename": "rename", "concat": "append", "merge": "append", "ncrcat": "append", "resize": "extend",
		"grow": "extend", "truncate": "shrink", "crop": "shrink", "check": "verify", "fsck": "verify",
		"repair": "recover", "new": "create", "save": "export", "to_netcdf": "export", "load": "import",
		"history": "log", "follow": "watch", "ncatted": "attr", "metadata": "attr", "vacuum": "compact",
		"h5repack": "compact", "put": "write", "backup": "cp", "clear": "fill", "chunks": "map",
		"ymonmean": "stats", "isel": "read", "open_zarr": "import", "astype": "copy", "fillna": "fill", "gdaladdo": "coarsen", "griddes": "info",
	} {
		err := usage.CheckVerb(root, []string{word})
		if err == nil || !strings.Contains(err.Error(), want+" (") {
			t.Errorf("%s: %v, want %s", word, err, want)
		}
	}
}
