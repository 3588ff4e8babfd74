package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pageTime is the time limit for the examples of a page.
const pageTime = 4 * time.Minute

// A runner runs the examples of pages.
type runner struct {
	root   string // of the sources
	dir    string // temporary folder: programs, outputs, and copies of the sources
	env    []string
	blocks *checker // of Go blocks
}

// newRunner builds drx and drxmp for the examples.
func newRunner(root string) (*runner, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pages")
	if err != nil {
		return nil, err
	}
	r := &runner{root: root, dir: dir}
	r.env, err = environment(dir)
	if err == nil {
		err = r.build()
	}
	if err == nil {
		r.blocks, err = newChecker(root, r.env)
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// close removes the temporary folder.
func (r *runner) close() error { return os.RemoveAll(r.dir) }

// environment returns the environment of the examples: no network, nothing installed outside of the
// folder, and the existing caches of Go. Builds trim paths, because otherwise the cache would not
// serve copies of the sources. Open MPI refuses to run as root, or to start more processes than
// there are cores, without its variables.
func environment(dir string) ([]string, error) {
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(caches), "\n")
	return append(os.Environ(),
		"GOCACHE="+lines[0], "GOMODCACHE="+lines[1], "GOBIN="+filepath.Join(dir, "bin"), "GOFLAGS=-buildvcs=false -trimpath",
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
		"GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"HOME="+dir, "LC_ALL=C.UTF-8", "TERM=dumb", "TZ=UTC"), nil
}

// build installs the programs where the examples expect them.
func (r *runner) build() error {
	cmd := exec.Command("go", "install", "./cmd/drx", "./cmd/drxmp")
	cmd.Dir, cmd.Env = r.root, append(r.env, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// page runs the examples of a page and returns their errors. With update it writes the present
// outputs to the page.
func (r *runner) page(ctx context.Context, name string, update bool) (faults []string, err error) {
	file := filepath.Join(r.root, name)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	blocks, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	for _, b := range blocks {
		if b.language == "go" && b.notRun == "" {
			if err := r.blocks.check(b); err != nil {
				faults = append(faults, fmt.Sprintf("%s:%d: %v", name, b.line, err))
			}
		}
	}
	steps, err := stepsOf(blocks)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	if len(steps) == 0 {
		return faults, nil
	}
	outputs, err := r.runSteps(ctx, steps)
	if err != nil {
		return nil, err
	}
	if update {
		if now := updated(string(text), steps, outputs); now != string(text) {
			return faults, os.WriteFile(file, []byte(now), 0o666)
		}
	}
	return append(faults, compare(name, steps, outputs)...), nil
}

// runSteps runs the steps of a page in a fresh copy of the sources, and returns the folder with
// their outputs.
func (r *runner) runSteps(ctx context.Context, steps []step) (outputs string, err error) {
	work, err := os.MkdirTemp(r.dir, "page")
	if err != nil {
		return "", err
	}
	sources, outputs := filepath.Join(work, "drx"), filepath.Join(work, "outputs")
	if err := errors.Join(os.Mkdir(outputs, 0o777), copySources(sources, r.root)); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash")
	cmd.Dir, cmd.Env = sources, r.env
	cmd.Stdin = strings.NewReader(script(steps, outputs))
	_ = cmd.Run() // the outputs show which step failed
	return outputs, ctx.Err()
}

// copySources copies the sources, without build results.
func copySources(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		switch relative {
		case ".git", "bin", "demo", "man":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil // .git of a worktree is a file
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, info.Mode().Perm())
	})
}

// compare returns the differences between the outputs of the steps and the page.
func compare(page string, steps []step, outputs string) (faults []string) {
	for i, s := range steps {
		got, done := output(outputs, i)
		switch {
		case !done:
			return append(faults, fmt.Sprintf("%s:%d: failed:\n%s%s", page, s.line, s.shell, strings.Join(got, "\n")))
		case s.block != nil && !sameOutput(s.shown, got):
			faults = append(faults, fmt.Sprintf("%s:%d: %sprints\n%s\nbut the page shows\n%s", page, s.line, s.shell,
				strings.Join(got, "\n"), strings.Join(s.shown, "\n")))
		}
	}
	return faults
}
