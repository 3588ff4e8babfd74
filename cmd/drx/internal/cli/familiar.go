package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// familiar lists, for each verb, the names of commands that do its job elsewhere: in Unix, NetCDF,
// HDF5, Zarr, GDAL, CDO, NCO and pandas. A name may be listed with several verbs.
var familiar = map[string]string{
	"adddim":  "expand_dims ncecat unsqueeze",
	"advise":  "tune",
	"append":  "add cat concat concatenate join merge mergetime ncrcat push stack tee",
	"attr":    "attrs attribute getattr getfattr h5attr meta metadata ncatted setattr setfattr",
	"cut":     "ncks drop_sel excise",
	"sort":    "sortby order",
	"coarsen": "aggregate downsample gdaladdo gridboxmean rebin",
	"compact": "consolidate defrag defragment h5repack optimize repack vacuum",
	"copy":    "astype cast chunk gdal_translate gdalwarp h5copy nccopy ncpdq rechunk reorder reshape translate transpose",
	"cp":      "backup clone duplicate",
	"create":  "init make mk mkdir new touch zeros",
	"diff":    "cmp compare diffn diffv h5diff nccmp ncdiff",
	"demo":    "example tour tutorial",
	"doctor":  "diagnose filesystem lock locks nfs",
	"export":  "netcdf save to_csv to_netcdf to_zarr tocsv tonetcdf tozarr",
	"extend":  "expand grow resize",
	"import":  "from_netcdf from_zarr h5import ingest load ncgen open_dataset open_zarr read_csv",
	"info": "cdl describe dims dump file griddes infon gdalinfo h5dump h5stat head header inspect ncdump ncinfo open schema " +
		"shape show showformat sinfo sinfon stat summary",
	"log":        "changes commits history",
	"ls":         "dir du find h5ls list ll size tree",
	"map":        "blocks chunks layout",
	"mv":         "move ren",
	"pack":       "archive compress dd gzip send tar zip",
	"read":       "cat dump extract fetch get h5dump head ncdump ncks output print isel less more query sel select selname sellonlatbox show slice subset tail",
	"recover":    "fix fsck repair restore salvage",
	"recompress": "compress decompress encode gzip recode uncompress zip",
	"regrid":     "griddata interp interpolate remap remapbil remapcon remapnn remapycon resample reindex warp xesmf",
	"rename":     "chname ncrename rename_dims rename_vars setname",
	"rm":         "del delete drop erase remove rmdir unlink",
	"shrink":     "crop trim truncate",
	"stats": "average avg count daymean fldmean groupby max mean median min monmean nansum ncea ncra ncwa percentile quantile " +
		"reduce resample rolling seasmean statistics std timmean timstd total var yearmean ymonmean zonmean",
	"unpack": "extract gunzip receive uncompress untar unzip",
	"verify": "check checksum fsck h5check md5sum scrub test validate",
	"view":   "display draw image imshow ncview open panoply plot png preview render show visualize",
	"watch":  "follow monitor tail",
	"write":  "insert put set store update",
	"fill":   "clear fillna memset nan set",
}

// addFamiliar makes the error for an unknown verb suggest the verb of drx that does the same job,
// if the unknown one is listed in familiar.
func addFamiliar(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		cmd.SuggestFor = strings.Fields(familiar[cmd.Name()])
	}
}
