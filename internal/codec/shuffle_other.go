package codec

func shuffle(dst, src []byte, size int)      { shuffleGo(dst, src, size) }
func unshuffle(dst, src []byte, size int)    { unshuffleGo(dst, src, size) }
func bitShuffle(dst, src []byte, size int)   { bitShuffleGo(dst, src, size) }
func bitUnshuffle(dst, src []byte, size int) { bitUnshuffleGo(dst, src, size) }
