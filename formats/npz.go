package formats

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"drx/formats/npy"
	"drx/internal/errkind"
	"drx/nd"
)

// npzFormat is NumPy's .npz: a ZIP file of .npy files, each of which is a variable. A stored one is
// read at any offset, a compressed one from front to back.
var npzFormat = Format{
	Name:       "npz",
	Extensions: []string{".npz"},
	Recognise:  func(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) },
	Open:       openNPZ,
	List:       listNPZ,
	Create:     createNPZ,
}

// npzSuffix follows the name of the variable in the names of files in a .npz file.
const npzSuffix = ".npy"

// npzMembers returns the variables in a .npz file by name, and the names in the order of the file.
// A stream is read into memory; the members must be read from the returned input.
func npzMembers(in *Input) (*Input, map[string]*zip.File, []string, error) {
	in, err := inMemory(in)
	if err != nil {
		return nil, nil, nil, err
	}
	z, err := OpenZip(in)
	if err != nil {
		return nil, nil, nil, err
	}
	members, names := map[string]*zip.File{}, []string(nil)
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, npzSuffix)
		if !ok {
			continue
		}
		if members[name] != nil {
			return nil, nil, nil, errkind.Errorf(ErrVariable, "npz: two variables named %q", name)
		}
		members[name], names = f, append(names, name)
	}
	if len(names) == 0 {
		return nil, nil, nil, fmt.Errorf("npz: the ZIP file has no .npy files in it: %w; a Zarr store in a ZIP file has the extension .zip", zip.ErrFormat)
	}
	return in, members, names, nil
}

// inMemory returns an input that can be read at any offset: a stream is read into memory, at most a
// quarter of the limit.
func inMemory(in *Input) (*Input, error) {
	if in.File != nil {
		return in, nil
	}
	data, err := readLimited(in.Stream, in.Memory/4)
	if err != nil {
		return nil, err
	}
	file := *in
	file.File, file.Size, file.Memory = bytes.NewReader(data), int64(len(data)), in.Memory-int64(cap(data))
	return &file, nil
}

// chooseVariable returns the name of the variable to open: name, or the only one of names if that
// is empty. The error wraps ErrVariable and lists the names.
func chooseVariable(name string, names []string) (string, error) {
	listed := strings.Join(names[:min(len(names), 10)], ", ")
	switch {
	case name == "" && len(names) == 1:
		return names[0], nil
	case name == "":
		return "", fmt.Errorf("%d variables: %w: name one of %s", len(names), ErrVariable, listed)
	case !slices.Contains(names, name):
		return "", fmt.Errorf("%s: %w: there are %s", name, ErrVariable, listed)
	}
	return name, nil
}

func openNPZ(in *Input) (Reader, error) {
	file, members, names, err := npzMembers(in)
	if err != nil {
		return nil, err
	}
	name, err := chooseVariable(in.Variable, names)
	if err != nil {
		return nil, err
	}
	return openMember(file, members[name], name)
}

// openMember opens a .npy file in a .npz file.
func openMember(in *Input, f *zip.File, name string) (Reader, error) {
	from, err := memberReader(in, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	r, err := npy.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	info := Info{Name: name, DType: r.DType, Shape: r.Shape}
	if r.ColMajor {
		info.Order = nd.ColMajor(len(r.Shape))
	}
	if f.Method == zip.Store {
		return &dense{info: info, elements: r}, nil
	}
	info.Codec = CodecSpec{Name: "gzip"}
	return newStream(info, r, func() (io.Reader, error) {
		from, err := f.Open()
		if err != nil {
			return nil, err
		}
		return npy.NewReader(from)
	})
}

// memberReader returns the bytes of a file in a ZIP file, at any offset if it is not compressed.
func memberReader(in *Input, f *zip.File) (io.Reader, error) {
	if f.Method != zip.Store {
		return f.Open()
	}
	offset, err := f.DataOffset()
	if err != nil {
		return nil, err
	}
	if size := int64(f.UncompressedSize64); size < 0 || f.CompressedSize64 != f.UncompressedSize64 || size > in.Size-offset {
		return nil, errkind.Errorf(io.ErrUnexpectedEOF, "%d bytes at byte %d in a ZIP file of %d: %w", f.UncompressedSize64, offset, in.Size, zip.ErrFormat)
	}
	return io.NewSectionReader(in.File, offset, int64(f.UncompressedSize64)), nil
}

func listNPZ(in *Input) (c Content, err error) {
	file, members, names, err := npzMembers(in)
	if err != nil {
		return c, err
	}
	for _, name := range names {
		info := Info{Name: name}
		if r, err := openMember(file, members[name], name); err != nil {
			info.Refuse(err)
		} else {
			info = r.Info()
		}
		c.Vars = append(c.Vars, info)
	}
	return c, nil
}
