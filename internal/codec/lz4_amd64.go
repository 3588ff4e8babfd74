package codec

// decodeSequences decodes the first sequences of an LZ4 block, as many as are valid and end well
// before the ends of the block and of dst, so that most of them need no checks of lengths and are
// copied by 16 bytes at a time. It returns how many bytes of each they have.
//
//go:noescape
func decodeSequences(dst, src []byte) (di, si int)

// firstSequences is decodeSequences where the machine has its instructions and there are enough
// bytes.
func firstSequences(dst, src []byte) (di, si int) {
	if !hasKernels || len(dst) < 64 || len(src) < 48 {
		return 0, 0
	}
	return decodeSequences(dst, src)
}
