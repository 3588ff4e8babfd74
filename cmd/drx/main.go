// Command drx creates, grows, reads, writes and inspects extendible arrays. Each family of verbs
// has a package below internal.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/chunkmap"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/demo"
	"drx/cmd/drx/internal/doctor"
	"drx/cmd/drx/internal/foreign"
	"drx/cmd/drx/internal/hyper"
	"drx/cmd/drx/internal/ingest"
	"drx/cmd/drx/internal/inspect"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/query"
	"drx/cmd/drx/internal/rechunk"
	"drx/cmd/drx/internal/schema"
	"drx/cmd/drx/internal/storage"
	"drx/cmd/drx/internal/view"
	"drx/cmd/internal/manpage"
	"drx/formats/pipe"
)

// version is set by the build.
var version = "devel"

func main() {
	ctx := interrupt.Context()
	// Without this, a write beyond the limit on file sizes would kill the process instead of
	// failing.
	signal.Ignore(syscall.SIGXFSZ)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit code. It prints an error as one line on
// stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Run(ctx, newRoot(), args, stdin, stdout, stderr)
}

// newRoot returns the command drx with all of its verbs and the topics of its help.
func newRoot() *cobra.Command {
	pipe.Register() // the help lists the formats
	root := cli.NewRoot(verbs...)
	root.Version = version
	for _, t := range topics() {
		root.AddCommand(newTopic(t))
	}
	return root
}

// verbs lists the constructors of the commands. The order is free: the help sorts them.
var verbs = []func() *cobra.Command{
	schema.NewAddDim,
	inspect.NewAddr,
	inspect.NewAdvise,
	ingest.NewAppend,
	schema.NewAttr,
	rechunk.NewCoarsen,
	storage.NewCompact,
	storage.NewConvert,
	rechunk.New,
	storage.NewCp,
	rechunk.NewCut,
	schema.NewCreate,
	demo.New,
	query.NewDiff,
	doctor.New,
	foreign.NewExport,
	schema.NewExtend,
	alone(ingest.NewFill),
	hyper.New,
	foreign.NewImport,
	inspect.NewInfo,
	schema.NewLabels,
	inspect.NewLog,
	inspect.NewLs,
	manpage.Command,
	chunkmap.New,
	storage.NewMv,
	storage.NewPack,
	query.NewRead,
	storage.NewRecompress,
	storage.NewRecover,
	rechunk.NewRegrid,
	schema.NewRename,
	ingest.NewReserve,
	storage.NewRm,
	schema.NewShrink,
	rechunk.NewSort,
	alone(query.NewStats),
	storage.NewUnpack,
	storage.NewVerify,
	view.New,
	inspect.NewWatch,
	ingest.NewWrite,
}

// alone returns the constructor of a verb, which drxmp has as well, for this process alone.
func alone(verb func(cli.Team) *cobra.Command) func() *cobra.Command {
	return func() *cobra.Command { return verb(cli.Team{}) }
}
