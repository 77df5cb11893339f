package config

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func TestAvailableMemory(t *testing.T) {
	const (
		meminfo = "MemTotal:       16384000 kB\nMemFree:         1000000 kB\n"
		machine = 16384000 << 10
		noneV1  = "9223372036854771712\n" // what version 1 says when no limit is set
	)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64 // 0 = an error
	}{
		{"nothing, as on macOS", nil, 0},
		{"no limit", map[string]string{"proc/meminfo": meminfo}, machine},
		{"meminfo without a total", map[string]string{"proc/meminfo": "MemFree: 1 kB\n"}, 0},
		{"meminfo garbled", map[string]string{"proc/meminfo": "MemTotal: many kB\n"}, 0},

		{"v2 in a container", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n"}, 1 << 30},
		{"v2 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, machine},
		{"v2 limit of a parent", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/kubepods/pod1/c1\n",
			"sys/fs/cgroup/kubepods/pod1/c1/memory.max": "max\n", "sys/fs/cgroup/kubepods/pod1/memory.max": "2000000\n",
			"sys/fs/cgroup/kubepods/memory.max": "8000000\n"}, 2000000},
		{"v2 own limit below its parent's", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "1000000\n", "sys/fs/cgroup/a/memory.max": "2000000\n"}, 1000000},
		{"v2 path of the host, seen from inside", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/kubepods/pod1/c1\n", "sys/fs/cgroup/memory.max": "3000000\n"}, 3000000},
		{"v2 path above the namespace", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../../c1\n", "sys/fs/cgroup/c1/memory.max": "3000000\n"}, 3000000},
		{"v2 path with a colon", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a:b\n", "sys/fs/cgroup/a:b/memory.max": "3000000\n"}, 3000000},
		{"v2 limit beyond the machine", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999999\n"}, machine},

		{"v1 in a container", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "12:cpu,cpuacct:/x\n9:memory:/docker/c1\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n"}, 512 << 20},
		{"v1 on the host", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "9:memory:/a/b\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": noneV1, "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "4000000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": noneV1}, 4000000},
		{"v1 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "9:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": noneV1}, machine},
		{"v1 with memory among others", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "3:hugetlb,memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "5000000\n"}, 5000000},
		{"both versions", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "9:memory:/c\n0::/c\n",
			"sys/fs/cgroup/memory/c/memory.limit_in_bytes": "6000000\n"}, 6000000},

		{"a limit and no meminfo", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n"}, 1000},
		{"garbage", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "\n:::\nx\n0::\n", "sys/fs/cgroup/memory.max": "-5\n"}, machine},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, content := range c.files {
				root[name] = &fstest.MapFile{Data: []byte(content)}
			}
			got, err := availableMemory(root)
			if got != c.want || (err != nil) != (c.want == 0) {
				t.Errorf("got %d, %v; want %d", got, err, c.want)
			}
		})
	}
}

// TestAvailableMemoryHere asks the machine the test runs on.
func TestAvailableMemoryHere(t *testing.T) {
	got, err := AvailableMemory()
	if runtime.GOOS != "linux" {
		if err == nil {
			t.Errorf("%s reports %d bytes; the reference says it cannot", runtime.GOOS, got)
		}
		return
	}
	if err != nil || got < 1<<20 {
		t.Errorf("got %d bytes, %v", got, err)
	}
}
