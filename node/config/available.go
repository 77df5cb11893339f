package config

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// AvailableMemory returns the bytes of memory this process may use now, of
// which a maxmemory such as 75% is a share. The error says why it is unknown,
// as it is on systems without /proc.
func AvailableMemory() (int64, error) { return availableMemory(thisMachine().root) }

// availableMemory returns the bytes of memory this process may use: the
// lowest limit of its control groups, version 1 or 2, and never more than
// the machine has. root is the machine's file system.
//
// A control group's limit holds for all groups below it, so each parent is
// read too. Inside a container /proc/self/cgroup may name a path of the host
// that does not exist there; the walk up then ends at the container's own
// group, which is mounted at the root.
func availableMemory(root fs.FS) (int64, error) {
	total, err := machineMemory(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	limits := groupLimits(root)
	if total > 0 {
		limits = append(limits, total)
	}
	if len(limits) == 0 {
		return 0, errors.New("this system reports neither a container's limit nor its memory in /proc")
	}
	return slices.Min(limits), nil
}

// groupLimits returns every limit set on the groups of this process. A group
// without a limit says "max" in version 2 and a number beyond any memory in
// version 1.
func groupLimits(root fs.FS) (limits []int64) {
	membership, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(membership)) {
		// hierarchy-ID:controller-list:path
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch controllers := strings.Split(parts[1], ","); {
		case parts[1] == "":
			limits = append(limits, limitsUpFrom(root, "sys/fs/cgroup", parts[2], "memory.max")...)
		case slices.Contains(controllers, "memory"):
			limits = append(limits, limitsUpFrom(root, "sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")...)
		}
	}
	return limits
}

// limitsUpFrom reads the file of the group at mount/group and of each parent.
func limitsUpFrom(root fs.FS, mount, group, file string) (limits []int64) {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		content, err := fs.ReadFile(root, path.Join(mount, group, file))
		if err == nil {
			n, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
			if err == nil && n > 0 {
				limits = append(limits, n)
			}
		}
		if group == "/" {
			return limits
		}
	}
}

// machineMemory returns the bytes of memory Linux manages.
func machineMemory(root fs.FS) (int64, error) {
	const file = "proc/meminfo"
	content, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, err
	}
	for in := bufio.NewScanner(bytes.NewReader(content)); in.Scan(); {
		name, value, _ := strings.Cut(in.Text(), ":")
		if name != "MemTotal" {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil || kib <= 0 {
			return 0, fmt.Errorf("/%s: unreadable line %q", file, in.Text())
		}
		return kib << 10, nil
	}
	return 0, fmt.Errorf("/%s has no MemTotal", file)
}
