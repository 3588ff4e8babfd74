package transfer

import (
	"slices"

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
