package transfer

import (
	"cmp"
	"fmt"
	"strings"

	"drx"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

const (
	// zstdClass replaces deflate and similar codecs of files: it compresses at least as well as
	// these, and is faster.
	zstdClass = "blosc:zstd:3:shuffle"
	// fastClass replaces codecs that favour speed over size.
	fastClass = "blosc:lz4:5:shuffle"
	// smallestCompressed is the size of a chunk above which compression is worthwhile, in bytes:
	// the block in which file systems allocate space.
	smallestCompressed = 4 << 10
)

// keptCodec returns the codec of an array that is imported from a variable compressed by c: the
// same, so that chunks can be copied as they are, or else zstdClass or fastClass.
func keptCodec(c formats.CodecSpec, spec drx.Spec) string {
	bytes, err := nd.Product(append([]int{spec.DType.Size()}, spec.ChunkShape...)...)
	if c.IsNone() || err == nil && bytes <= smallestCompressed {
		return ""
	}
	text := zstdClass
	switch {
	case c.Name == "zstd" && c.Shuffle == "" && c.Level >= 0:
		text = fmt.Sprintf("zstd:%d", cmp.Or(c.Level, 3))
	case c.Name == "lz4" && c.Shuffle == "":
		text = "lz4"
	case c.Name == "blosc" && (c.Blosc == "snappy" || c.Blosc == "blosclz"), c.Name == "lz4", c.Name == "lzf":
		text = fastClass
	case c.Name == "blosc":
		text = fmt.Sprintf("blosc:%s:%d:%s", c.Blosc, max(c.Level, 1), cmp.Or(c.Shuffle, "shuffle"))
	}
	if kept, err := drx.ParseCodec(text); err == nil { // fails for zlib in blosc
		return kept
	}
	return zstdClass
}

// keepsFrames reports whether the compressed chunks of a variable are stored unchanged: nothing
// changes its elements or their order, and no other codec is requested.
func (o *planner) keepsFrames(p varPlan) bool {
	if p.sliceDim >= 0 || len(p.conv.steps) > 0 || !hasFrames(p.info, p.spec.DType) {
		return false
	}
	if o.Codec == "" {
		return true
	}
	asked, err := drx.ParseCodec(o.Codec)
	same, err2 := drx.ParseCodec(p.info.Codec.String())
	return err == nil && err2 == nil && asked == same
}

// noteCodecs notes which variables are compressed because they are compressed in the file.
func (o *planner) noteCodecs(p *plan, f *importFile) {
	if o.Codec != "" {
		return
	}
	var pairs []string
	names := map[string][]string{}
	for _, v := range p.vars {
		if v.spec.Codec == "" {
			continue
		}
		pair := fmt.Sprintf("by %s there, and by %s here", wording.Printable(v.info.Codec.String()), v.spec.Codec)
		if names[pair] == nil {
			pairs = append(pairs, pair)
		}
		names[pair] = append(names[pair], wording.Printable(v.info.Name))
	}
	for _, pair := range pairs {
		all := names[pair]
		if len(all) > maxNoted {
			all = append(all[:maxNoted-1:maxNoted-1], fmt.Sprintf("%d others", len(all)-maxNoted+1))
		}
		verb := map[bool]string{true: "is", false: "are"}[len(all) == 1]
		if len(p.vars) == 1 {
			p.note(fmt.Sprintf("%s: is compressed %s", f.name, pair))
			continue
		}
		p.note(fmt.Sprintf("%s: %s %s compressed %s", f.name, strings.Join(all, ", "), verb, pair))
	}
}

// maxNoted is the largest number of variables that a note names.
const maxNoted = 5
