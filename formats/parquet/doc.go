// Package parquet reads and writes Parquet files, the tables of columns of DuckDB, Spark, pandas
// and others, with Apache's library for Go. It is compiled with the build tag parquet, because that
// library is several times as large as DRX, and then registers the format "parquet" with package
// formats. A program that imports it for that says
//
//	import _ "drx/formats/parquet"
//
// Without the tag the package compiles and registers nothing.
//
// # What becomes of a file
//
// Each column is a variable of one dimension, row:
//
//	integers, floats   the same type
//	boolean            bool, or uint8 with 255 for nulls, if there may be some
//	string             a variable of strings, each string once in memory; a null is the empty string
//	timestamp          int64 of the column's unit since 1970, in UTC, in the proleptic calendar
//	date               int32 of days since 1970
//	decimal            int64 with the attribute scale_factor
//	time, duration     int32 or int64, with units
//
// Nulls are NaN or, in integers, a value that no row has, and that Info.Fill says. Columns of
// lists, structures, maps and bytes are listed as refused. Metadata of fields are attributes.
//
// # What is written
//
// A long table: one row for each element of the largest variable, in row-major order, with the
// values of its coordinates, or labels or indices, and of all variables, which have some of its
// dimensions. Missing values are null. Times in the calendar of the world are timestamps of
// microseconds, or nanoseconds if they need them, without time zone; other attributes, as units,
// are metadata of the fields.
//
// Elements wait in files without a name beside the table until all are there, and coordinates in
// memory, because a table has all columns side by side.
package parquet
