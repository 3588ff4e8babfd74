//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"slices"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5filter"
)

// variable creates the dataset of a variable. The caller closes it.
func (m *creator) variable(v *varDef) (handle, error) {
	group, err := m.group(cformat.Parent(v.path))
	if err != nil {
		return -1, err
	}
	group.close()
	t, err := m.typeOf(v)
	if err != nil {
		return -1, err
	}
	defer t.close()
	creation := handle(C.H5Pcreate(C.H5P_DATASET_CREATE))
	defer creation.close()
	if err := m.creation(creation, t, v); err != nil {
		return -1, err
	}
	return m.dataset(v.path, t, creation, v)
}

// creation sets the storage properties of a dataset.
func (m *creator) creation(creation, t handle, v *varDef) error {
	status := plainObject(creation)
	if v.chunk != nil && status >= 0 {
		status = C.H5Pset_chunk(creation.id(), C.int(len(v.chunk)), cformat.First(cformat.Sizes[C.hsize_t](v.chunk)))
	}
	if v.chunk != nil && status >= 0 {
		status = v.compress(creation)
	}
	if v.info.Fill != nil && v.info.Labels == nil && status >= 0 {
		status = C.H5Pset_fill_value(creation.id(), t.id(), unsafe.Pointer(cformat.First(slices.Clone(v.info.Fill))))
	}
	return check("creation properties", status)
}

// compress sets the filters of a chunked dataset. Deflate follows a shuffle, as in h5py; the other
// codecs run alone, so that chunks are plain frames of these codecs.
func (v *varDef) compress(creation handle) C.herr_t {
	size, status := v.info.DType.Size(), C.herr_t(0)
	if (v.codec.Name == "gzip" || v.codec.Shuffle == "shuffle") && size > 1 {
		status = C.H5Pset_shuffle(creation.id())
	}
	if v.codec.Name == "gzip" && status >= 0 {
		return C.H5Pset_deflate(creation.id(), C.uint(v.codec.Level))
	}
	id, values, has := h5filter.Of(v.codec, size, int(cformat.Multiply(int64(size), v.chunk...)))
	if !has || status < 0 {
		return status
	}
	numbers := make([]C.uint, len(values))
	for i, n := range values {
		numbers[i] = C.uint(n)
	}
	return C.H5Pset_filter(creation.id(), C.H5Z_filter_t(id), C.H5Z_FLAG_OPTIONAL, C.size_t(len(numbers)), cformat.First(numbers))
}

// dataset creates a dataset with the shape of v.
func (m *creator) dataset(path string, t, creation handle, v *varDef) (handle, error) {
	space := handle(C.H5Screate(C.H5S_SCALAR))
	if len(v.info.Shape) > 0 {
		space.close()
		space = handle(C.H5Screate_simple(C.int(len(v.info.Shape)), cformat.First(cformat.Sizes[C.hsize_t](v.info.Shape)), cformat.First(v.most)))
	}
	defer space.close()
	access := handle(C.H5Pcreate(C.H5P_DATASET_ACCESS))
	defer access.close()
	links := utf8Links()
	defer links.close()
	if v.chunk != nil {
		if err := cacheChunks(access, v.cached(), cformat.Multiply(int64(v.info.DType.Size()), v.chunk...)); err != nil {
			return -1, err
		}
	}
	name, free := cstring("/" + path)
	defer free()
	d := handle(C.H5Dcreate2(m.file.id(), name, t.id(), space.id(), links.id(), creation.id(), access.id()))
	if !d.ok() {
		return d, failure("create")
	}
	return d, nil
}

// typeOf returns the type of a variable in the file. The type of an enumeration is committed, and
// created with the first variable that has it. The caller closes it.
func (m *creator) typeOf(v *varDef) (handle, error) {
	if v.enum == nil {
		return fileType(&v.info), nil
	}
	name, free := cstring("/" + v.named)
	defer free()
	if m.types[v.named] {
		t := handle(C.H5Topen2(m.file.id(), name, C.H5P_DEFAULT))
		if !t.ok() {
			return t, failure("its type")
		}
		return t, nil
	}
	t := enumType(v.info.DType, v.enum)
	creation := handle(C.H5Pcreate(C.H5P_DATATYPE_CREATE))
	defer creation.close()
	links := utf8Links()
	defer links.close()
	if !t.ok() || plainObject(creation) < 0 || C.H5Tcommit2(m.file.id(), name, t.id(), links.id(), creation.id(), C.H5P_DEFAULT) < 0 {
		t.close()
		return -1, failure("its type " + v.named)
	}
	m.types[v.named] = true
	return t, nil
}

// fileType returns the type of a variable that is no enumeration. The caller closes it.
func fileType(info *formats.Info) handle {
	switch {
	case info.Labels != nil:
		return textType(C.H5T_VARIABLE)
	case info.DType == dtype.Bool:
		return boolType()
	}
	return standard(info.DType)
}
