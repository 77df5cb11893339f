package report

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Machine describes in a sentence what the figures were measured on and with; what the system does not say is
// left out.
func Machine() string {
	parts := []string{
		cpuinfo("model name"),
		fmt.Sprintf("%d CPUs", runtime.NumCPU()),
		cache("3"),
		memory(),
		"kernel " + line("uname", "-sr"),
		hugePages(),
		runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		"GOGC=" + setting("GOGC", "100"),
	}
	said := parts[:0]
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, ", ")
}

// Commit is the commit of the checkout in the current folder, marked when it has changes that are not committed
// in what the benchmarks measure.
func Commit() string {
	commit := line("git", "rev-parse", "--short", "HEAD")
	if commit == "" {
		return "unknown"
	}
	if line("git", "status", "--porcelain", "--", ":/zset", ":/node", ":/cmd/node", ":/hack/bench") != "" {
		commit += "+"
	}
	return commit
}

func setting(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// line is the first line that a command prints; empty if it fails.
func line(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(first)
}

func file(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

// field finds "name : value" in text.
func field(text, name string) string {
	for l := range strings.Lines(text) {
		if key, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func cpuinfo(name string) string {
	info := file("/proc/cpuinfo")
	model := field(info, name)
	if family := field(info, "cpu family"); model != "" && family != "" {
		model += " (family " + family + ")" // of virtual machines the name often says little
	}
	return model
}

func cache(level string) string {
	for i := range 8 {
		dir := fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/", i)
		if strings.TrimSpace(file(dir+"level")) == level {
			return "L" + level + " " + strings.TrimSpace(file(dir+"size"))
		}
	}
	return ""
}

func memory() string {
	var kib int
	if _, err := fmt.Sscanf(field(file("/proc/meminfo"), "MemTotal"), "%d kB", &kib); err != nil {
		return ""
	}
	return fmt.Sprintf("%d GiB", (kib+1<<19)>>20)
}

func hugePages() string {
	_, rest, ok := strings.Cut(file("/sys/kernel/mm/transparent_hugepage/enabled"), "[")
	if !ok {
		return ""
	}
	word, _, _ := strings.Cut(rest, "]")
	return "huge pages " + word
}
