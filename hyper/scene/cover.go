package scene

// Cover returns the smallest block of whole tiles of Map that contains b.
func Cover(b Block) Block {
	if b.Pixels() == 0 {
		return Block{}
	}
	return Block{
		Pixel{floor(b.Lo.Line, TileLines), floor(b.Lo.Sample, TileSamples)},
		Pixel{floor(b.Hi.Line+TileLines-1, TileLines), floor(b.Hi.Sample+TileSamples-1, TileSamples)},
	}
}
