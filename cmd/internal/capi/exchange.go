package capi

import (
	"cmp"
	"context"

	"drx/dataset"
	"drx/formats/transfer"
	"drx/nd"
)

// importOptions are the options of drx_import, named as the flags of drx import.
type importOptions struct {
	transfer.ImportOptions
	Memory int64  `json:"memory"`
	Resume bool   `json:"resume"`
	Bridge string `json:"bridge"`
	Caller caller `json:"caller"`
}

// exportOptions are the options of drx_export, named as the flags of drx export, and a section as
// lo, hi and step.
type exportOptions struct {
	transfer.ExportOptions
	Deflate *int     `json:"deflate"` // nil: the usual level; 0: none
	Memory  int64    `json:"memory"`
	Bridge  string   `json:"bridge"`
	Sel     []string `json:"sel"`
	Exact   bool     `json:"exact"`
	Method  string   `json:"method"`
	Lo      []int    `json:"lo"`
	Hi      []int    `json:"hi"`
	Step    []int    `json:"step"`
	Caller  caller   `json:"caller"`
}

// Import imports files into dst, and returns a description of the result as JSON, with notes for
// people.
func Import(dst string, files []string, options string, progress Progress) (string, error) {
	var o importOptions
	if err := parseOptions(options, &o); err != nil {
		return "", err
	}
	return o.run(dst, files, progress)
}

// run is Import with parsed options.
func (o importOptions) run(dst string, files []string, progress Progress) (string, error) {
	var made struct {
		transfer.ImportReport
		Notes []string `json:"notes,omitempty"`
	}
	o.ImportOptions.Memory, o.ImportOptions.Resume = o.Memory, o.Resume
	o.Note = func(text string) { made.Notes = append(made.Notes, text) }
	err := longOnOwnThread(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		useBridge(o.Bridge)
		o.Progress = report
		made.ImportReport, err = transfer.Import(ctx, dst, o.ImportOptions, files...)
		return err
	})
	if err != nil {
		return "", o.Caller.rename(err)
	}
	return toJSON(made)
}

// Export writes src to the file dst, and returns a description of the file as JSON, with notes for
// people.
func Export(src, dst, options string, progress Progress) (string, error) {
	var o exportOptions
	if err := parseOptions(options, &o); err != nil {
		return "", err
	}
	return o.run(src, dst, progress)
}

// method returns the method of the selection. "exact" is an earlier form of "method": "exact".
func (o exportOptions) method() (dataset.Method, error) {
	if o.Method == "" && !o.Exact {
		return dataset.Usual, nil
	}
	method, err := dataset.ParseMethod(cmp.Or(o.Method, dataset.Exact.String()))
	if err == nil && o.Exact && method != dataset.Exact {
		err = invalidf("options: exact and method %v exclude each other", method)
	}
	if err != nil && !o.Exact {
		err = invalidf("options: %v", err)
	}
	return method, err
}

// run is Export with parsed options.
func (o exportOptions) run(src, dst string, progress Progress) (string, error) {
	where := transfer.Conditions{Sel: o.Sel}
	var err error
	if where.Method, err = o.method(); err != nil {
		return "", err
	}
	if where.Section, err = o.section(); err != nil {
		return "", err
	}
	var done struct {
		transfer.ExportReport
		Notes []string `json:"notes,omitempty"`
	}
	if o.Deflate != nil {
		o.ExportOptions.SetDeflate(*o.Deflate)
	}
	o.ExportOptions.Memory, o.Select = o.Memory, where
	o.Note = func(text string) { done.Notes = append(done.Notes, text) }
	err = longOnOwnThread(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		useBridge(o.Bridge)
		o.Progress = report
		done.ExportReport, err = transfer.Export(ctx, src, dst, o.ExportOptions)
		return err
	})
	if err != nil {
		return "", o.Caller.rename(err)
	}
	return toJSON(done)
}

// section returns the section that is exported, nil for all.
func (o exportOptions) section() (nd.Section, error) {
	if o.Lo == nil && o.Hi == nil && o.Step == nil {
		return nil, nil
	}
	if len(o.Lo) != len(o.Hi) || o.Step != nil && len(o.Step) != len(o.Lo) {
		return nil, invalidf("options: lo has %d numbers, hi %d and step %d: want one for each dimension", len(o.Lo), len(o.Hi), len(o.Step))
	}
	sec := nd.Box(o.Lo, o.Hi)
	for d, step := range o.Step {
		sec[d] = sec[d].By(step)
	}
	return sec, nil
}

// useBridge sets the file of drx-bridge, unless it is empty.
func useBridge(program string) {
	if program != "" {
		transfer.UseHelper(program)
	}
}

// longOnOwnThread is long for work that writes to pipes. The work always runs in a goroutine, on a
// thread of the Go runtime, which blocks SIGPIPE. On the thread of the host that signal would end
// the program if the reader of a pipe has ended.
func longOnOwnThread(progress Progress, f func(ctx context.Context, report func(done, total int64)) error) error {
	if progress == nil {
		progress = func(int64, int64) bool { return false }
	}
	return long(progress, f)
}

// Map imports one variable of a file in a format, without its coordinates, as the array name, and
// opens the array for writing.
func Map(format, file, variable, name string) (Handle, error) {
	o := importOptions{ImportOptions: transfer.ImportOptions{Format: format, Vars: []string{variable}, Alone: true}}
	if _, err := o.run(name, []string{file}, nil); err != nil {
		return 0, err
	}
	return Open(name, ModeWrite, "")
}

// WriteMapped commits an array that is open, and writes it to a new file of a format as a variable.
func WriteMapped(h Handle, format, file, variable string) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_close, and export the dataset by drx_export"); err != nil {
		return err
	}
	if a.Writable() {
		if err := a.Sync(); err != nil {
			return err
		}
	}
	o := exportOptions{ExportOptions: transfer.ExportOptions{Format: format, Alone: true, Name: variable}}
	_, err = o.run(a.Name(), file, nil)
	return err
}
