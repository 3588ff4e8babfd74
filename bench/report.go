package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// report writes the table and the plots of an experiment into a folder.
func report(dir string, e experiment, t *table) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, e.name+".csv"), t.writeCSV); err != nil {
		return err
	}
	for _, p := range e.plots {
		if len(t.columns(p.metric)) == 0 {
			continue
		}
		if err := writeFile(filepath.Join(dir, plotName(e, p)), t.chart(e, p).SVG); err != nil {
			return err
		}
	}
	return nil
}

// plotName returns the file name of a plot, made of the names of the experiment and the metric.
func plotName(e experiment, p plot) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(p.metric))
	return e.name + "-" + name + ".svg"
}

// writeFile creates a file and calls write with it.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

// writeResults prints the targets and writes them to a file beside the tables. With -doc it also
// writes the pages and plots of the documents.
func writeResults(s settings, tables map[string]*table) error {
	text := targetTable(s.suite().goals, tables)
	fmt.Print(text)
	if text != "" {
		err := writeFile(filepath.Join(s.out, s.suite().targets), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			return err
		}
	}
	if !s.doc {
		return nil
	}
	return document("docs", s, tables)
}
