package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// walkStore calls f for every regular file of an array.
func walkStore(path string, f func(name string, info fs.FileInfo) error) error {
	roots, err := storeFiles(path)
	for _, root := range roots {
		err = errors.Join(err, filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			return f(name, info)
		}))
	}
	return err
}

// storeSize returns the sum of the file sizes of an array and the bytes allocated for them on the
// device, folders included.
func storeSize(path string) (apparent, allocated int64, err error) {
	err = walkStore(path, func(_ string, info fs.FileInfo) error {
		apparent += info.Size()
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			allocated += st.Blocks * 512
		} else {
			allocated += info.Size()
		}
		return nil
	})
	return apparent, allocated, err
}

// evict drops the files of an array from the page cache. It returns an error if more than one
// percent of them remains, even after dropping all caches as root: then some process has mapped
// them.
func evict(path string) error {
	share, err := dropFromCache(path)
	if err != nil || share < 0.01 {
		return err
	}
	// Only root may do this; the check below finds out.
	_ = os.WriteFile("/proc/sys/vm/drop_caches", []byte("1"), 0o200)
	if share, err = resident(path); err != nil || share < 0.01 {
		return err
	}
	return fmt.Errorf("%s: %.0f %% is still in the page cache", path, 100*share)
}

// dropFromCache writes the files back, advises the system to drop them from the page cache and
// returns the share that is still resident.
func dropFromCache(path string) (float64, error) {
	err := walkStore(path, func(name string, _ fs.FileInfo) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = f.Sync()
		if err == nil {
			err = dropPages(f)
		}
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return 0, err
	}
	return resident(path)
}

// resident returns the share of the pages of an array's files that are in the page cache.
func resident(path string) (float64, error) {
	there, all := 0, 0
	err := walkStore(path, func(name string, info fs.FileInfo) error {
		if info.Size() == 0 {
			return nil
		}
		pages, err := residentPages(name, info.Size())
		for _, p := range pages {
			there += int(p & 1)
		}
		all += len(pages)
		return err
	})
	if all == 0 {
		return 0, err
	}
	return float64(there) / float64(all), err
}

// touchMemory allocates memory, touches every page and frees it, so that the next writer need not
// wait until the host of a virtual machine provides the pages.
func touchMemory(bytes int64) error {
	if bytes <= 0 {
		return nil
	}
	mem, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return fmt.Errorf("hold %d bytes: %w", bytes, err)
	}
	for i := 0; i < len(mem); i += 4096 {
		mem[i] = 1
	}
	return unix.Munmap(mem)
}
