package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

// write writes the file.
func (o *exporter) write(ctx context.Context, vars []exportVar, content formats.Content) (done ExportReport, err error) {
	content.Memory = o.decoding()
	if err := o.convertVars(vars); err != nil {
		return done, err
	}
	vars = append(vars, labelVars(vars)...)
	if vars, err = o.asTable(vars); err == nil {
		vars, err = o.asColumns(vars)
	}
	if err != nil {
		return done, err
	}
	if vars, err = o.convertGeoreferences(vars); err == nil {
		err = o.addWorld(vars)
	}
	if err == nil {
		err = o.keepMeaning(vars)
	}
	if err == nil {
		err = o.roundVars(vars)
	}
	if err != nil {
		return done, err
	}
	if o.Append != "" {
		if err := o.makeGrowing(vars); err != nil {
			return done, err
		}
		if _, err := os.Lstat(o.dst); err == nil {
			return o.appendToFile(ctx, vars)
		}
	}
	o.compress(vars, &content)
	o.noteCodecs(vars, content)
	o.noteLevels(vars)
	o.limitChunks(vars)
	o.keepFrames(vars, content)
	total := 0
	for _, v := range vars {
		n, err := v.info.Bytes()
		if err != nil {
			return done, fmt.Errorf("%s: %w", v.info.Name, err)
		}
		total += n
	}
	if !isCompressed(vars, content) {
		if err := CheckSpace(o.dst, int64(total)); err != nil {
			return done, err
		}
	}
	err = o.withTemporary(o.dst, func(temp string) (err error) {
		if vars, err = o.fill(ctx, temp, vars, content); err != nil {
			return err
		}
		return publish(filepath.Dir(temp), o.dst)
	})
	if err != nil {
		return done, err
	}
	return o.result(vars, nil), nil
}

// fill writes the file at path and returns the variables that it holds.
func (o *exporter) fill(ctx context.Context, path string, vars []exportVar, content formats.Content) ([]exportVar, error) {
	create := func(vars []exportVar) (_ []formats.Writer, err error) {
		content.Vars, content.Names = nil, nil
		for _, v := range vars {
			content.Vars = append(content.Vars, v.info)
		}
		if o.isTable() && len(vars) == 1 {
			if content.Names, err = tableNames(vars[0]); err != nil {
				return nil, err
			}
		}
		return formats.CreateFile(path, o.Format, content)
	}
	writers, err := create(vars)
	if errors.Is(err, formats.ErrVariable) || errors.Is(err, formats.ErrType) {
		needed := slices.DeleteFunc(slices.Clone(vars), func(v exportVar) bool { return v.optional })
		if len(needed) < len(vars) && len(needed) > 0 {
			without := err
			if writers, err = create(needed); err == nil || errors.Is(err, nd.ErrRank) {
				o.note(vars, without)
				vars = needed
			}
		}
	}
	if errors.Is(err, formats.ErrVariable) {
		return nil, errorf("%w; choose one with %v", err, option("var"))
	}
	if errors.Is(err, nd.ErrRank) && len(vars) == 1 {
		if without, ok := flat(vars[0].info); ok {
			one := vars[0]
			one.info = without
			if w, flatErr := create([]exportVar{one}); flatErr == nil {
				writers, err = []formats.Writer{flatWriter{w[0], vars[0].info.Shape}}, nil
			}
		}
	}
	if errors.Is(err, nd.ErrRank) && len(vars) > 0 && len(vars[0].info.Shape) > 2 && filepath.Ext(o.dst) == ".csv" {
		section := strings.Repeat("0,", len(vars[0].info.Shape)-2) + ":,:"
		return nil, errorf("%w; choose one table with %v", err, option("section", section))
	}
	if err != nil {
		return nil, err
	}
	return vars, o.writeVars(ctx, path, writers, vars, totalBytes(vars), func(v exportVar) nd.Section { return whole(v.info.Shape) })
}

func totalBytes(vars []exportVar) (sum int64) {
	for _, v := range vars {
		n, _ := v.info.Bytes() // checked before
		sum += int64(n)
	}
	return sum
}

// noteLevels notes the levels of labels, which only arrays of DRX have.
func (o *exporter) noteLevels(vars []exportVar) {
	for _, v := range vars {
		if v.cube == nil {
			continue
		}
		for d, dim := range v.cube.Array().Dims() {
			if names := v.cube.Levels(d); len(names) > 0 {
				o.printNote("%s: without the levels %s of dimension %s: only arrays of DRX have levels",
					wording.Printable(v.info.Name), wording.Printable(strings.Join(names, ", ")), wording.Printable(cmp.Or(dim, strconv.Itoa(d))))
			}
		}
	}
}

// note notes which variables are left out, and why.
func (o *exporter) note(vars []exportVar, why error) {
	var names []string
	for _, v := range vars {
		if v.optional {
			names = append(names, wording.Printable(v.info.Name))
		}
	}
	what := formats.ErrType
	if errors.Is(why, formats.ErrVariable) {
		what = errors.New("it has one array per file")
	}
	if o.Note != nil {
		o.Note(fmt.Sprintf("format %s: without the coordinates and labels %s: %v", o.Format, strings.Join(names, ", "), what))
	}
}
