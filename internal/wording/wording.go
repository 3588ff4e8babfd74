// Package wording formats messages for people: lists, names that are safe to print, and the known
// word that is nearest to an unknown one.
package wording

import (
	"fmt"
	"strconv"
	"strings"
)

// DidYouMean returns a question for the known word that is nearest to an unknown one, to be
// appended to an error, with prefix before the word. It is empty if no word is near.
func DidYouMean(prefix, word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %s%s?)", prefix, near)
	}
	return ""
}

// Nearest returns the known word that is the fewest edits away from an unknown one. It returns ""
// if that needs more than one edit for every three letters. A word that starts with the unknown
// one, or that the unknown one ends with, is near as well.
func Nearest(word string, known []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		n := distance(strings.ToLower(word), strings.ToLower(k))
		if len(word) > 1 && (strings.HasPrefix(k, word) || strings.HasSuffix(k, word)) {
			n = min(n, 1)
		}
		if n < least && k != "" && n < len(k) {
			best, least = k, n
		}
	}
	return best
}

// distance returns the least number of letters to insert, delete, replace or exchange with the next
// one to change a into b. It does not compare long words, which would be slow.
func distance(a, b string) int {
	const longest = 256
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var before, last []int // the two rows above
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// Or formats a list for a sentence: a, b or c.
func Or(list []string) string {
	last := len(list) - 1
	if last <= 0 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// Ints formats integers with commas: 3,4.
func Ints(ints []int) string {
	parts := make([]string, len(ints))
	for i, n := range ints {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ",")
}

// Shape formats extents for people: 10 x 12.
func Shape(extents []int) string { return strings.ReplaceAll(Ints(extents), ",", " x ") }

// Percent formats a share. It says 100 % only if part equals whole.
func Percent(part, whole float64) string {
	if whole == 0 {
		return "none"
	}
	share := 100 * part / whole
	if share > 99.9 && part < whole {
		share = 99.9
	}
	return strconv.FormatFloat(share, 'f', 1, 64) + " %"
}

// Bytes formats a number of bytes for people: 1.5 MiB.
func Bytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n)/1024, "KMGTPE"
	for value >= 1023.95 && len(units) > 1 {
		value, units = value/1024, units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, units[0])
}
