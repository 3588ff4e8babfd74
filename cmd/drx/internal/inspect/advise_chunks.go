package inspect

import (
	"fmt"
	"io"
	"slices"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/nd"
)

// largerChunks are chunks for an array that has grown beyond its own, which were made for fewer
// elements. Other programs rely on its JSON.
type largerChunks struct {
	Written int64 `json:"bytes_written"` // in chunks, before compression
	Chunk   []int `json:"chunk"`
	Bytes   int   `json:"chunk_bytes"`
}

// smallForCodec is the size of a chunk, in bytes, from which on rounding up to blocks of the file
// system matters little.
const smallForCodec = 64 << 10

// grownBytes is the size of what was written, in bytes, from which on small chunks cost more than
// they save: the part of a larger chunk beyond the bounds is then little beside the elements.
const grownBytes = 1 << 20

// largerChunksFor returns the chunks that suit the present extents of an array, nil if its own do.
func largerChunksFor(a *drx.Array) (*largerChunks, error) {
	if chunkBytes(a.DType(), a.ChunkShape()) >= smallForCodec {
		return nil, nil
	}
	u, err := a.Usage()
	chunk := drx.DefaultChunk(a.DType(), a.Shape())
	n := chunkBytes(a.DType(), chunk)
	if err != nil || u.WrittenBytes < grownBytes || n < smallForCodec {
		return nil, err
	}
	return &largerChunks{u.WrittenBytes, chunk, n}, nil
}

// chunkBytes returns the size of a chunk that an array has or may have.
func chunkBytes(t dtype.DType, chunk []int) int {
	n, _ := nd.Product(append(slices.Clone(chunk), t.Size())...) // below 4 GiB
	return n
}

// print writes the advice for people: the command that copies an array to larger chunks. Which
// codec is best for them small chunks do not show.
func (c *largerChunks) print(out io.Writer, name string) {
	fmt.Fprintf(out, "the chunks are small for the %s that the array has; larger ones compress better and are read faster:\n", cli.ByteSize(c.Written))
	fmt.Fprintf(out, "drx copy %s NEW --chunk %s --codec auto\n", cli.Printable(name), cli.FormatInts(c.Chunk))
}
