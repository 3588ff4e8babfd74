package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// growingChunk is the least size of the chunks of a new file that grows, in bytes. It keeps a file
// that grows by little at a time from getting a chunk for each addition.
const growingChunk = 64 << 10

// makeGrowing makes the dimension Append unlimited in the variables that have it, and their chunks
// long enough along it for growth.
func (o *exporter) makeGrowing(vars []exportVar) error {
	found := false
	for i := range vars {
		info := &vars[i].info
		d := slices.Index(info.Dims, o.Append)
		if d < 0 {
			continue
		}
		found = true
		info.Unlimited = slices.Clone(info.Unlimited)
		if info.Unlimited == nil {
			info.Unlimited = make([]bool, len(info.Shape))
		}
		info.Unlimited[d] = true
		if info.Chunk == nil {
			continue
		}
		rest := info.DType.Size()
		for k, n := range info.Chunk {
			if k != d {
				rest *= n
			}
		}
		info.Chunk[d] = max(info.Chunk[d], growingChunk/rest)
	}
	if !found {
		return optionerr.Wrong("append", o.Append, "no variable that is exported has a dimension of this name")
	}
	return nil
}

// An update describes what an export with the option Append writes to an existing file.
type update struct {
	vars  []exportVar // the variables that grow, with their new shapes
	begin int         // index of the first new element along the dimension
	by    int         // number of new indices
}

// appendToFile brings a file up to date: it adds the indices of the dimension that follow those in
// the file. It extends a copy and renames that over the file, so that the file is complete at every
// moment and a crash leaves the old one.
func (o *exporter) appendToFile(ctx context.Context, vars []exportVar) (done ExportReport, err error) {
	path, err := filepath.EvalSymlinks(o.dst)
	if err != nil {
		return done, err
	}
	removeLeftovers(path)
	u, err := o.planUpdate(path, vars)
	if err != nil {
		return done, err
	}
	if u.by > 0 {
		info, err := os.Stat(path)
		if err == nil {
			err = CheckSpace(path, info.Size()+u.bytes())
		}
		if err == nil {
			err = o.withTemporary(path, func(temp string) error {
				if err := copyFile(temp, path); err != nil {
					return err
				}
				if err := o.fillUp(ctx, temp, u); err != nil {
					return err
				}
				if err := syncTree(temp); err != nil {
					return err
				}
				return errors.Join(os.Rename(temp, path), syncFolder(filepath.Dir(path)))
			})
		}
		if err != nil {
			return done, err
		}
	}
	return o.result(u.vars, &u.by), nil
}

// planUpdate compares the variables to be exported with those of the file.
func (o *exporter) planUpdate(path string, vars []exportVar) (u update, err error) {
	format := o.Format
	if f, err := formats.ByName(format); err == nil && f.Open == nil {
		format = "" // for a format that is only written, List finds the one that reads its files
	}
	options := formats.Options{Format: format, Memory: o.decoding()}
	content, err := formats.List(path, options)
	if err != nil {
		return u, err
	}
	u.begin = -1
	slices.SortStableFunc(vars, func(v, w exportVar) int { // first coordinates: clearest errors
		return cmp.Or(boolInt(w.info.Name == o.Append)-boolInt(v.info.Name == o.Append), boolInt(isCoordinateVar(w.info))-boolInt(isCoordinateVar(v.info)))
	})
	for _, v := range vars {
		i := slices.IndexFunc(content.Vars, func(f formats.Info) bool { return f.Name == v.info.Name && f.Refused == "" })
		// The file of another program may lack a coordinate that the export would only derive.
		if i < 0 && v.optional && v.cube == nil && v.info.Labels == nil {
			o.printNote("%s: has no variable %s, and gets none", o.dst, wording.Printable(v.info.Name))
			continue
		}
		if i < 0 {
			return u, errkind.Of(formats.ErrVariable, errorf("%s: has no variable %s, and an export with %v adds none: choose variables with %v, or export to another file",
				o.dst, wording.Printable(v.info.Name), option("append"), option("var")))
		}
		file := content.Vars[i]
		err := sameOrder(v.info, file)
		if err == nil {
			err = o.likeFile(&v, file, vars, content.Vars)
		}
		if err == nil && len(v.info.Shape) == 1 && len(file.Shape) == 1 && isCoordinateVar(v.info) {
			n := min(file.Shape[0], v.info.Shape[0])
			if err = sameValues(path, options, v, n); err == nil {
				err = o.continues(&v, n)
			}
		}
		if err == nil {
			err = o.checkRounding(v, file)
		}
		if err == nil {
			err = o.addTo(&u, v, file)
		}
		if err != nil {
			return u, fmt.Errorf("%s: variable %s: %w; export to another file",
				o.dst, wording.Printable(v.info.Name), err)
		}
	}
	return u, nil
}

// addTo adds a variable to an update, if it grows. file describes it as the file has it.
func (o *exporter) addTo(u *update, v exportVar, file formats.Info) error {
	d := slices.Index(v.info.Dims, o.Append)
	want := slices.Clone(v.info.Shape)
	if d >= 0 && d < len(file.Shape) {
		want[d] = file.Shape[d]
	}
	text := v.info.Labels != nil
	if text != (file.Labels != nil) || !text && v.info.DType != file.DType || !slices.Equal(file.Shape, want) {
		return errkind.Errorf(formats.ErrSize, "the file has %s %s, which does not fit %s %s",
			kindOf(file), DescribeShape(file.Dims, file.Shape), kindOf(v.info), DescribeShape(v.info.Dims, v.info.Shape))
	}
	if d < 0 {
		return nil
	}
	n := file.Shape[d]
	switch {
	case n > v.info.Shape[d]:
		return errkind.Errorf(formats.ErrSize, "the file has %d indices of %s, more than the %d that are to be exported", n, o.Append, v.info.Shape[d])
	case u.begin >= 0 && n != u.begin:
		return errkind.Errorf(formats.ErrSize, "the file has %d indices of %s, and %d of another variable", n, o.Append, u.begin)
	case n < v.info.Shape[d] && (len(file.Unlimited) <= d || !file.Unlimited[d]):
		return errkind.Of(formats.ErrSize, errorf("dimension %s has a fixed length in the file; a file can grow along an unlimited dimension, as one has that was made with %v", o.Append, option("append")))
	}
	u.begin, u.by = n, v.info.Shape[d]-n
	if file.Chunk != nil {
		if err := o.checkChunk(file); err != nil {
			return err
		}
		v.info.Chunk = file.Chunk
	}
	u.vars = append(u.vars, v)
	return nil
}

// sameValues returns an error unless a coordinate begins with the n values that the file has.
func sameValues(path string, o formats.Options, v exportVar, n int) error {
	o.Variable = v.info.Name
	r, err := formats.Open(path, o)
	if err != nil {
		return err
	}
	info := r.Info()
	size := info.DType.Size()
	got, want := make([]byte, n*size), make([]byte, n*v.info.DType.Size())
	first := nd.Section{nd.Span(0, n)}
	err = errors.Join(r.ReadSection(first, got), r.Close())
	if err == nil && v.elements == nil {
		err = (&selectionReader{v}).ReadSection(first, want)
	} else {
		copy(want, v.elements)
	}
	if err != nil {
		return err
	}
	if info.Labels != nil || v.info.Labels != nil {
		return sameTexts(info, v.info, got, want, n)
	}
	from, err := meaningOfVar(info, nil)
	if err != nil {
		return err
	}
	there, here := values{m: from, elements: got}, values{m: from, elements: want}
	if info.DType != v.info.DType {
		return errkind.Errorf(formats.ErrType, "is %s in the file and %s in what is exported", info.DType, v.info.DType)
	}
	limit := there.quarter()
	for i := range n {
		if there.same(i, here.at(i), limit) {
			continue
		}
		how := howDifferent(there, here)
		if !strings.HasPrefix(how, "is reversed") {
			how = "" // a selection only shifts the values, as the text below shows
		}
		return errkind.Errorf(formats.ErrSize, "%svalue %d is %s in the file and %s in what is exported: want the same first values",
			how, i, there.text(i), here.text(i))
	}
	return nil
}

// sameTexts is sameValues for strings.
func sameTexts(file, v formats.Info, got, want []byte, n int) error {
	for i := range n {
		if g, w := elementOf(file, got, i), elementOf(v, want, i); !bytes.Equal(g, w) {
			return errkind.Errorf(formats.ErrSize, "value %d is %s in the file and %s in what is exported: want the same first values",
				i, wording.Printable(string(g)), wording.Printable(string(w)))
		}
	}
	return nil
}

// elementOf returns the bytes of element i of a variable of rank 1, or of its string.
func elementOf(info formats.Info, elements []byte, i int) []byte {
	size := info.DType.Size()
	b := elements[i*size:][:size]
	if info.Labels == nil {
		return b
	}
	if k := int(info.DType.Float64(b)); k >= 0 && k < len(info.Labels) {
		return []byte(info.Labels[k])
	}
	return nil
}

// part returns the section of a variable's new elements.
func (u update) part(v exportVar, dim string) nd.Section {
	sec := whole(v.info.Shape)
	sec[slices.Index(v.info.Dims, dim)] = nd.Span(u.begin, u.begin+u.by)
	return sec
}

// bytes returns the size of all new elements.
func (u update) bytes() (sum int64) {
	for _, v := range u.vars {
		all, _ := v.info.Bytes() // checked before
		sum += int64(all) / int64(u.begin+u.by) * int64(u.by)
	}
	return sum
}

// fillUp writes the new elements to the copy of a file.
func (o *exporter) fillUp(ctx context.Context, path string, u update) error {
	content := formats.Content{Memory: o.decoding()}
	for _, v := range u.vars {
		content.Vars = append(content.Vars, v.info)
	}
	writers, err := formats.AppendFile(path, o.Format, content)
	if err != nil {
		return err
	}
	return o.writeVars(ctx, path, writers, u.vars, u.bytes(), func(v exportVar) nd.Section { return u.part(v, o.Append) })
}

// copyFile copies a file with its permissions, and makes the copy writable by its owner. io.Copy
// lets file systems that can share the bytes of two files do so.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return cmp.Or(err, out.Close())
}
