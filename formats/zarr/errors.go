package zarr

import "errors"

var (
	// ErrFormat is returned for invalid or damaged metadata and chunks.
	ErrFormat = errors.New("not a valid Zarr store")
	// ErrCodec is returned for an array with a codec, filter or grid that is not read.
	ErrCodec = errors.New("this kind of Zarr array is not read")
)

// rewritten is the hint for an array with a part that is not supported.
const rewritten = "zarr-python rewrites the array without it"
