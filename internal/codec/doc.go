// Package codec compresses chunks and decompresses them, whole or in part. It knows bytes and the
// size of elements, and nothing of arrays.
//
// A [Spec] names a codec, as in "zstd:3" or "blosc:lz4:5:shuffle"; [New] makes the [Codec] for
// elements of a size. The bytes that a codec makes are called a frame. They are those that other
// programs know by the same name, so that frames are handed over in either direction as they are:
//
//	zstd   one zstd frame with its content size and without a checksum (RFC 8878): what Zarr's
//	       codec zstd and HDF5's filter 32015 store
//	lz4    the decoded size, 4 bytes little-endian, and an LZ4 block (lz4_Block_format.md of lz4):
//	       what Zarr's codec lz4 stores (numcodecs.LZ4). HDF5's filter 32004 has another framing
//	       of the same block, see [LZ4ToHDF5] and [LZ4FromHDF5]
//	blosc  the container of C-Blosc 1, below: what Zarr's codec blosc and HDF5's filter 32001 store
//
// # Blosc
//
// A container of C-Blosc 1 (README_CHUNK_FORMAT.rst of c-blosc) is
//
//	1 byte    version of the format: 2; 1 is read, too
//	1 byte    version of the compressor's format: 1
//	1 byte    flags: 1 bytes are shuffled, 2 the data follow as they are, 4 bits are shuffled,
//	          16 one stream per block; the upper three bits are the compressor:
//	          0 blosclz, 1 lz4 and lz4hc, 2 snappy, 3 zlib, 4 zstd
//	1 byte    bytes of an element
//	4 bytes   decoded bytes, little-endian as the next ones
//	4 bytes   decoded bytes of a block; the last block may have fewer
//	4 bytes   bytes of the container, with this header
//	4 bytes   for each block: where it begins
//
// and the blocks. A block is shuffled by itself. It consists of one stream, or of one for each byte
// of an element unless flag 16 is set, the element has more than 16 bytes, the block has fewer than
// 128 elements, or it is a shorter last one. A stream is its size, 4 bytes, and its bytes, which
// are not compressed if there are as many as decoded ones. Blocks have the extents that C-Blosc
// 1.21 chooses by level, compressor and size of the elements; with zstd, shuffled blocks have
// several streams here, and at least 16 KiB in each. Reading part of a chunk decodes only the
// blocks that have it.
//
// # Damage
//
// A frame may come from anywhere. Decoding one never reads or writes outside of the slices given,
// needs no more memory than a chunk and a block besides them, and returns an error that wraps
// [ErrFrame] if the frame does not decode to exactly the size that the caller expects. No frame has
// a checksum, so that a damaged one may decode to other bytes: the chunk table has the checksum.
package codec
