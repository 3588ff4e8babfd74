package codec

// decodeSequences decodes sequences from the start of an LZ4 block until one is invalid or comes
// near the end of src or dst. Far from the ends most sequences need no length checks and can be
// copied in units of 16 bytes. It returns how many bytes of dst and of src they occupy.
//
//go:noescape
func decodeSequences(dst, src []byte) (di, si int)

// firstSequences calls decodeSequences if the machine has its instructions and src and dst are long
// enough.
func firstSequences(dst, src []byte) (di, si int) {
	if !hasKernels || len(dst) < 64 || len(src) < 48 {
		return 0, 0
	}
	return decodeSequences(dst, src)
}
