package advise

// A quotients is the set of the numbers n/1, n/2, ..., n/n, rounded down: what is left of a
// chunk of n elements when some of its extents are chosen, as (n/a)/b = n/(a*b). There are
// about 2*sqrt(n) of them, which is why tables over them are small.
type quotients struct {
	n     int
	root  int   // all numbers up to the root of n are quotients
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

// at returns the place of a quotient in value.
func (q quotients) at(b int) int {
	if b <= q.root {
		return b - 1
	}
	return len(q.value) - q.n/b
}

// A choice is an extent to choose for one dimension when a budget of elements is left: top is
// the largest that leaves rest for the other dimensions. Both are places of quotients.
type choice struct{ top, rest int }

// choices calls f for the extents worth choosing when b elements are left and extents are at
// most limit: all others leave as much for the other dimensions as a longer one does.
func (q quotients) choices(b, limit int, f func(choice)) {
	for c := 1; c <= min(b, limit); {
		rest := b / c
		top := b / rest
		f(choice{q.at(top), q.at(rest)})
		c = top + 1
	}
}
