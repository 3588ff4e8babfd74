package mapped

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// groupLimit returns the lowest memory limit, in bytes, of the control groups that contain this
// process, or math.MaxInt64 if there is none. Groups may be nested, as those of Slurm, systemd and
// containers are, and each ancestor may have a limit of its own. root is the folder with proc and
// the mounts: "/" except in tests.
func groupLimit(root string) int64 {
	limit := int64(math.MaxInt64)
	for _, m := range groupMounts(root) {
		for _, path := range groupPaths(root, m.v2) {
			limit = min(limit, m.limit(root, path))
		}
	}
	return limit
}

// A groupMount is a mounted hierarchy of control groups with the memory controller.
type groupMount struct {
	v2    bool
	group string // the group that is mounted: "/", or that of a container
	at    string // where it is mounted
}

// limitFiles names the files with the limits of a group, for version 2 and version 1 of the
// hierarchy. Beyond memory.high the system slows the process down, so that counts as a limit, too.
var limitFiles = map[bool][]string{true: {"memory.max", "memory.high"}, false: {"memory.limit_in_bytes"}}

// limit returns the lowest limit of a group, named as in /proc, and of its ancestors.
func (m groupMount) limit(root, group string) int64 {
	inside, found := strings.CutPrefix(group+"/", strings.TrimSuffix(m.group, "/")+"/")
	if !found { // the group is outside of the mounted one, which may have a limit
		inside = ""
	}
	limit := int64(math.MaxInt64)
	for dir := filepath.Clean("/" + inside); ; dir = filepath.Dir(dir) {
		for _, name := range limitFiles[m.v2] {
			text, err := os.ReadFile(filepath.Join(root, m.at, dir, name))
			if err != nil {
				continue
			}
			// "max" does not parse and means no limit.
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
				limit = min(limit, n)
			}
		}
		if dir == "/" {
			return limit
		}
	}
}

// groupPaths returns the groups of this process in a hierarchy, from the lines of
// /proc/self/cgroup: "0::/user.slice/job" for version 2, "4:cpu,memory:/slurm/job" for version 1.
func groupPaths(root string, v2 bool) []string {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return []string{"/"}
	}
	var paths []string
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) == 3 && (v2 && f[0] == "0" && f[1] == "" || !v2 && hasWord(f[1], "memory")) {
			paths = append(paths, f[2])
		}
	}
	return paths
}

// groupMounts returns the hierarchies with the memory controller, from /proc/self/mountinfo.
func groupMounts(root string) []groupMount {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return []groupMount{{true, "/", "/sys/fs/cgroup"}, {false, "/", "/sys/fs/cgroup/memory"}}
	}
	var mounts []groupMount
	for line := range strings.Lines(string(text)) {
		// 35 31 0:32 /group /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
		before, after, _ := strings.Cut(line, " - ")
		mount, kind := strings.Fields(before), strings.Fields(after)
		if len(mount) < 5 || len(kind) < 3 {
			continue
		}
		v2 := kind[0] == "cgroup2"
		if v2 || kind[0] == "cgroup" && hasWord(kind[2], "memory") {
			mounts = append(mounts, groupMount{v2, unescape(mount[3]), unescape(mount[4])})
		}
	}
	return mounts
}

// hasWord reports whether a comma-separated list contains a word.
func hasWord(list, word string) bool { return strings.Contains(","+list+",", ","+word+",") }

// unescape decodes a path of mountinfo, in which a space is \040.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}
