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

// Changed returns disjoint blocks that cover the tiles of Map that growth from old to now has
// changed: new tiles, and tiles that have other pixels now, with a halo around them. The blocks are
// not cut to now. old must be within now.
func Changed(old, now Block, halo int) []Block {
	all := Cover(now)
	if old.Pixels() == 0 {
		return []Block{all}
	}
	l0, l1 := unchanged(all.Lo.Line, all.Hi.Line, TileLines, old.Lo.Line, old.Hi.Line, now.Lo.Line, now.Hi.Line, halo)
	s0, s1 := unchanged(all.Lo.Sample, all.Hi.Sample, TileSamples, old.Lo.Sample, old.Hi.Sample, now.Lo.Sample, now.Hi.Sample, halo)
	if l0 >= l1 || s0 >= s1 {
		return []Block{all}
	}
	var changed []Block
	for _, b := range []Block{
		{all.Lo, Pixel{l0, all.Hi.Sample}},
		{Pixel{l0, all.Lo.Sample}, Pixel{l1, s0}},
		{Pixel{l0, s1}, Pixel{l1, all.Hi.Sample}},
		{Pixel{l1, all.Lo.Sample}, all.Hi},
	} {
		if b.Pixels() > 0 {
			changed = append(changed, b)
		}
	}
	return changed
}

// unchanged returns the range, within lo and hi, of the intervals of n that have in [old0, old1)
// what they have in [now0, now1), with a halo around them.
func unchanged(lo, hi, n, old0, old1, now0, now1, halo int) (from, to int) {
	for from = lo; from < hi && max(from-halo, old0) != max(from-halo, now0); {
		from += n
	}
	for to = hi; to > from && min(to+halo, old1) != min(to+halo, now1); {
		to -= n
	}
	return from, to
}
