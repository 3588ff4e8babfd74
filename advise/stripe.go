package advise

// block returns the size of a block in bytes. With stripes, it is the largest divisor or multiple
// of a stripe that fits Problem.Block.
func (p Problem) block() int {
	if p.Stripe == 0 {
		return p.Block
	}
	if p.Block >= p.Stripe {
		return p.Block - p.Block%p.Stripe
	}
	return largestDivisor(p.Stripe, p.Block)
}

// slot returns the space that a chunk takes in the file, in bytes, and the alignment for it. With
// stripes, it is the smallest divisor or multiple of a stripe that holds the chunk.
func (p Problem) slot(bytes int) (slot, align int) {
	switch {
	case p.Stripe == 0:
		return bytes, 0
	case bytes > p.Stripe:
		return (bytes + p.Stripe - 1) / p.Stripe * p.Stripe, p.Stripe
	}
	// The smallest divisor of at least bytes bytes is the stripe divided by the largest number of
	// such slots.
	slot = p.Stripe / largestDivisor(p.Stripe, p.Stripe/bytes)
	return slot, slot
}

// largestDivisor returns the largest divisor of n that is at most limit, 0 if limit is below 1.
func largestDivisor(n, limit int) int {
	best := 0
	for d := 1; d <= n/d && d <= limit; d++ {
		if n%d != 0 {
			continue
		}
		best = max(best, d)
		if n/d <= limit {
			return n / d // n/d falls with d, so the first that fits is the largest
		}
	}
	return best
}
