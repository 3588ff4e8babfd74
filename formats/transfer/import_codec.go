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
	// zstdClass is the codec of what is compressed in a file by deflate and its like: it is as good
	// as these at least, and faster.
	zstdClass = "blosc:zstd:3:shuffle"
	// fastClass is that of compressors which give up length for speed.
	fastClass = "blosc:lz4:5:shuffle"
	// smallestCompressed is the chunk that is worth compressing, in bytes: file systems give space
	// in blocks of as many.
	smallestCompressed = 4 << 10
)

// keptCodec returns the codec of an array that is imported from a variable which is compressed in
// its file by c: the same, so that chunks can be taken as they are, or one of its class.
func keptCodec(c formats.Codec, spec drx.Spec) string {
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
	if kept, err := drx.ParseCodec(text); err == nil { // not of zlib in blosc
		return kept
	}
	return zstdClass
}

// takesFrames reports whether the compressed chunks of a variable are stored as they are:
// nothing changes its elements or their order, and no other codec is asked for.
func (o *planner) takesFrames(p plannedVar) bool {
	if p.frameDim >= 0 || len(p.conv.steps) > 0 || !hasFrames(p.info, p.spec.DType) {
		return false
	}
	if o.Codec == "" {
		return true
	}
	asked, err := drx.ParseCodec(o.Codec)
	same, err2 := drx.ParseCodec(p.info.Codec.String())
	return err == nil && err2 == nil && asked == same
}

// noteCodecs says which variables are compressed because they are in the file.
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

// maxNoted is how many variables a note names.
const maxNoted = 5
