package transfer

import (
	"fmt"
	"slices"
	"strings"

	"drx/formats"
)

// KeepCodec is the value of ExportOptions.Codec by which the variables of a file have the codecs of
// their arrays.
const KeepCodec = "keep"

// compress says how the variables are compressed in the file: as the options want it, otherwise as
// the programs of the format do. An array whose codec the format has, too, keeps it, unless that
// would need a reader with more than those programs have.
func (o *exporter) compress(vars []exportVar, content *formats.Content) {
	content.Deflate, content.Codec = o.Deflate, o.codec
	f, err := formats.ByName(o.Format)
	if err != nil || content.Deflate > 0 || content.Codec != (formats.Codec{}) {
		return
	}
	if f.Usual.Name == "gzip" && o.Codec != KeepCodec {
		content.Deflate = f.Usual.Level
		return
	}
	for i := range vars {
		vars[i].info.Codec = f.Usual
		if own, has := vars[i].ownCodec(); has && slices.Contains(f.Codecs, own.Name) {
			vars[i].info.Codec = own
		}
	}
}

// noteCodecs says which codecs of a file other programs read with a plugin only: all but deflate.
func (o *exporter) noteCodecs(vars []exportVar, content formats.Content) {
	f, err := formats.ByName(o.Format)
	if err != nil || f.Usual.Name != "gzip" || o.Note == nil {
		return
	}
	var found []string
	for _, v := range vars {
		c := v.info.Codec
		if content.Codec != (formats.Codec{}) {
			c = content.Codec
		}
		if text := c.String(); content.Deflate == 0 && !c.IsNone() && c.Name != "gzip" && v.info.Labels == nil && !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	if len(found) > 0 {
		o.Note(fmt.Sprintf("format %s: other programs read %s with a plugin only, as those of hdf5plugin; all read gzip", o.Format, strings.Join(found, ", ")))
	}
}

// ownCodec returns the codec of the array that a variable is exported from, and false if it has
// none.
func (v *exportVar) ownCodec() (formats.Codec, bool) {
	if v.cube == nil {
		return formats.Codec{}, false
	}
	c, err := formats.ParseCodec(v.cube.Array().Layout().Codec)
	return c, err == nil && !c.IsNone()
}

// isCompressed reports whether something in a file is compressed.
func isCompressed(vars []exportVar, content formats.Content) bool {
	return content.Deflate > 0 || !content.Codec.IsNone() ||
		slices.ContainsFunc(vars, func(v exportVar) bool { return !v.info.Codec.IsNone() })
}
