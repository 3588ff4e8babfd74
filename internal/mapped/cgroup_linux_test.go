package mapped

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mountV2   = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	mountV1   = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
	mountCPU  = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
	mountDisk = "23 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
	unlimited = "9223372036854771712" // version 1 without a limit
)

// Limits of nested control groups: each row is a tree of files below a root, and the limit of a
// process in it.
func TestGroupLimit(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no groups":          {map[string]string{"proc/self/mountinfo": mountDisk}, math.MaxInt64},
		"no proc, version 2": {map[string]string{"sys/fs/cgroup/memory.max": "500\n"}, 500},
		"no proc, version 1": {map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "600\n"}, 600},
		"root": {map[string]string{
			"proc/self/mountinfo": mountDisk + mountV2, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "700\n",
		}, 700},
		"leaf": {map[string]string{
			"proc/self/mountinfo": mountV2, "proc/self/cgroup": "0::/user.slice/job.scope\n",
			"sys/fs/cgroup/user.slice/job.scope/memory.max": "800\n", "sys/fs/cgroup/user.slice/memory.max": "max\n",
		}, 800},
		"ancestor": {map[string]string{
			"proc/self/mountinfo": mountV2, "proc/self/cgroup": "0::/a/b/c\n",
			"sys/fs/cgroup/a/b/c/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.max": "900\n", "sys/fs/cgroup/a/memory.max": "950\n",
		}, 900},
		"another group": {map[string]string{
			"proc/self/mountinfo": mountV2, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/bb/memory.max": "1\n", "sys/fs/cgroup/c/memory.max": "2\n",
		}, math.MaxInt64},
		"high": {map[string]string{
			"proc/self/mountinfo": mountV2, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "900\n", "sys/fs/cgroup/a/memory.high": "650\n",
		}, 650},
		"slurm, version 1": {map[string]string{
			"proc/self/mountinfo": mountCPU + mountV1,
			"proc/self/cgroup":    "9:cpu:/elsewhere\n4:freezer,memory:/slurm/uid_1/job_2/step_0\n0::/\n",
			"sys/fs/cgroup/memory/slurm/uid_1/job_2/step_0/memory.limit_in_bytes": unlimited,
			"sys/fs/cgroup/memory/slurm/uid_1/job_2/memory.limit_in_bytes":        "4000000000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":                          unlimited,
		}, 4000000000},
		"both versions": {map[string]string{
			"proc/self/mountinfo":                            mountV1 + strings.Replace(mountV2, "/sys/fs/cgroup ", "/sys/fs/cgroup/unified ", 1),
			"proc/self/cgroup":                               "4:memory:/job\n0::/other\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "300\n",
			"sys/fs/cgroup/unified/other/memory.max":         "max\n",
		}, 300},
		"container, its own name space": {map[string]string{
			"proc/self/mountinfo": strings.Replace(mountV1, "0:32 / ", "0:32 /docker/abc ", 1),
			"proc/self/cgroup":    "4:memory:/docker/abc/inner\n",
			"sys/fs/cgroup/memory/inner/memory.limit_in_bytes": unlimited,
			"sys/fs/cgroup/memory/memory.limit_in_bytes":       "200\n",
		}, 200},
		"outside of what is mounted": {map[string]string{
			"proc/self/mountinfo":                        strings.Replace(mountV1, "0:32 / ", "0:32 /docker/abc ", 1),
			"proc/self/cgroup":                           "4:memory:/elsewhere\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "100\n",
		}, 100},
		"mounted with a space": {map[string]string{
			"proc/self/mountinfo":    strings.Replace(mountV2, "/sys/fs/cgroup ", `/my\040groups `, 1),
			"proc/self/cgroup":       "0::/a\n",
			"my groups/a/memory.max": "400\n",
		}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, text := range c.files {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := groupLimit(root); got != c.want {
				t.Errorf("limit %d, want %d", got, c.want)
			}
		})
	}
}
