package synth

import (
	"fmt"
	"math"

	"drx/hyper/scene"
)

// A Map returns the class of each pixel, from 1; pixels of class 0 have only zeros, and an analysis
// ignores them. It must be safe for concurrent use.
type Map func(p scene.Pixel) int

// FromClasses returns a map that enlarges a smaller one, such as the ground truth of a real scene.
// classes has one number per pixel, line by line. Each of its pixels becomes enlarge x enlarge
// pixels. Beyond its edges the map continues as its mirror image, so that patches are not cut
// there. Its first pixel is line 0, sample 0. It is an error if the extents do not match the number
// of classes, or a class is negative.
func FromClasses(classes []int, lines, samples, enlarge int) (Map, error) {
	if lines < 1 || samples < 1 || len(classes)%lines != 0 || len(classes)/lines != samples {
		return nil, fmt.Errorf("a map of %d lines x %d samples with %d classes: there must be one per pixel", lines, samples, len(classes))
	}
	if enlarge < 1 {
		return nil, fmt.Errorf("a map enlarged %d times: the factor must be at least 1", enlarge)
	}
	for i, c := range classes {
		if c < 0 {
			return nil, fmt.Errorf("the map has class %d at line %d, sample %d: classes are 0 and above", c, i/samples, i%samples)
		}
	}
	return func(p scene.Pixel) int {
		return classes[mirror(p.Line, lines*enlarge)/enlarge*samples+mirror(p.Sample, samples*enlarge)/enlarge]
	}, nil
}

// mirror returns the index, from 0 to n-1, of element i of a row of n elements that is continued on
// both sides by its mirror image.
func mirror(i, n int) int {
	i = modulo(i, 2*n)
	if i >= n {
		return 2*n - 1 - i
	}
	return i
}

// modulo returns the remainder from 0 to n-1.
func modulo(i, n int) int { return (i%n + n) % n }

// Patches returns a map of patches with straight borders: each pixel has the class of the nearest
// point, and every square of size x size pixels has one point at a random position (a Voronoi
// diagram). All classes are equally frequent. It is an error if size or classes is below 1.
func Patches(classes, size int, seed uint64) (Map, error) {
	if classes < 1 || size < 1 {
		return nil, fmt.Errorf("patches of %d classes and %d pixels: both must be at least 1", classes, size)
	}
	return func(p scene.Pixel) int {
		line, sample := floorDiv(p.Line, size), floorDiv(p.Sample, size)
		class, least := 0, math.Inf(1)
		for l := line - 2; l <= line+2; l++ { // all points that may be the nearest
			for s := sample - 2; s <= sample+2; s++ {
				h := hash(seed, l, s, 0)
				dl := (float64(l-line)+unit(h))*float64(size) - float64(modulo(p.Line, size))
				ds := (float64(s-sample)+unit(mixed(h)))*float64(size) - float64(modulo(p.Sample, size))
				if d := dl*dl + ds*ds; d < least {
					class, least = 1+int(mixed(h+1)%uint64(classes)), d
				}
			}
		}
		return class
	}, nil
}

// floorDiv returns i/n, rounded down.
func floorDiv(i, n int) int { return (i - modulo(i, n)) / n }

// hash returns a random number determined by a seed, a position and a purpose.
func hash(seed uint64, line, sample int, purpose uint64) uint64 {
	return mixed(mixed(mixed(seed+purpose*0x9e3779b97f4a7c15)+uint64(line)) + uint64(sample)*0xd1342543de82ef95)
}

// mixed is the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps a random number to [0, 1).
func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }
