package advise

// A quotients is the set of the numbers n/1, n/2, ..., n/n, rounded down. When some extents of a
// chunk with n elements are chosen, the number that remains for the others is one of them, because
// (n/a)/b = n/(a*b). There are only about 2*sqrt(n), so tables over them are small.
type quotients struct {
	n     int
	root  int   // the root of n; all numbers up to it are quotients
	value []int // in rising order
}

func newQuotients(n int) quotients {
	q := quotients{n: n}
	for (q.root+1)*(q.root+1) <= n {
		q.root++
	}
	for b := 1; b < n; b = n / (n / (b + 1)) {
		q.value = append(q.value, b)
	}
	q.value = append(q.value, n)
	return q
}

// position returns the position of quotient b in value.
func (q quotients) position(b int) int {
	if b <= q.root {
		return b - 1
	}
	return len(q.value) - q.n/b
}

// A choice is a possible extent of one dimension: top is the largest extent that leaves rest
// elements for the other dimensions. Both are positions of quotients.
type choice struct{ top, rest int }

// eachChoice calls f for the useful extents up to limit when b elements remain. Every other extent
// leaves as many elements for the other dimensions as a longer one.
func (q quotients) eachChoice(b, limit int, f func(choice)) {
	for c := 1; c <= min(b, limit); {
		rest := b / c
		top := b / rest
		f(choice{q.position(top), q.position(rest)})
		c = top + 1
	}
}
