package score

import "math"

// Assign pairs rows of a matrix of finite costs with columns, each at most once, so that as many as
// possible are paired and the sum of their costs is minimal. It returns the column of each row, -1
// if it has none, and that sum. It uses the method of Kuhn and Munkres in the form of Jonker and
// Volgenant (1987), with one shortest path per row, in time proportional to the square of the
// smaller extent times the larger one.
func Assign(cost [][]float64) (column []int, total float64) {
	rows := len(cost)
	if rows == 0 {
		return nil, 0
	}
	columns := len(cost[0])
	if rows <= columns {
		column = assign(rows, columns, func(i, j int) float64 { return cost[i][j] })
	} else {
		column = make([]int, rows)
		for i := range column {
			column[i] = -1
		}
		for j, i := range assign(columns, rows, func(j, i int) float64 { return cost[i][j] }) {
			column[i] = j
		}
	}
	for i, j := range column {
		if j >= 0 {
			total += cost[i][j]
		}
	}
	return column, total
}

// assign pairs each of n rows with one of m >= n columns. Prices of rows and columns are such that
// no pair costs less than the sum of its two prices, and the selected pairs cost exactly that. So
// their total cost is minimal.
func assign(n, m int, cost func(i, j int) float64) []int {
	rowPrice, columnPrice := make([]float64, n), make([]float64, m)
	rowOf := make([]int, m+1) // of each column; column m stands for the start of a path
	for j := range rowOf {
		rowOf[j] = -1
	}
	for row := range n {
		rowOf[m] = row
		distance, from, done := make([]float64, m), make([]int, m), make([]bool, m+1)
		for j := range distance {
			distance[j] = math.Inf(1)
		}
		at := m
		for rowOf[at] >= 0 { // the shortest path to a free column
			done[at] = true
			i, next, least := rowOf[at], -1, math.Inf(1)
			for j := range m {
				if done[j] {
					continue
				}
				if d := cost(i, j) - rowPrice[i] - columnPrice[j]; d < distance[j] {
					distance[j], from[j] = d, at
				}
				if next < 0 || distance[j] < least {
					next, least = j, distance[j]
				}
			}
			for j := range m {
				if done[j] {
					rowPrice[rowOf[j]] += least
					columnPrice[j] -= least
				} else {
					distance[j] -= least
				}
			}
			rowPrice[row] += least
			at = next
		}
		for at != m { // shift the pairs along the path by one
			rowOf[at] = rowOf[from[at]]
			at = from[at]
		}
	}
	columnOf := make([]int, n)
	for j, i := range rowOf[:m] {
		if i >= 0 {
			columnOf[i] = j
		}
	}
	return columnOf
}
