package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"zset.dev/operator/node/resp"
)

// maxMemory is the kind of maxmemory: a size, or a share of the memory the
// node may use. A share becomes bytes when it is set, so a later change of
// the container's limit counts from the next CONFIG SET or start.
var maxMemory = kind{
	allowed: "a memory size, or a share of the container's memory limit such as 75%; 0 = no limit",
	set: func(v *Values, values []string, on machine) error {
		limit, err := parseMaxMemory(values[0], on)
		if err == nil {
			v.MaxMemory = limit
		}
		return err
	},
	get: func(v *Values) string { return strconv.FormatInt(v.MaxMemory.Bytes, 10) },
}

func parseMaxMemory(text string, on machine) (MemoryLimit, error) {
	share, isShare := strings.CutSuffix(text, "%")
	if !isShare {
		n, ok := parseSize(text)
		if !ok {
			return MemoryLimit{}, reason("argument must be a memory value")
		}
		return MemoryLimit{Bytes: n, Text: text}, nil
	}
	percent, err := parseDecimal(share)
	if err != nil || !(percent > 0 && percent <= 100) {
		return MemoryLimit{}, selfContained("argument must be a memory value or a percentage above 0 and up to 100")
	}
	available, err := availableMemory(on.root)
	if err != nil {
		return MemoryLimit{}, selfContained(fmt.Sprintf("a percentage needs a memory limit to be a share of: %v; give the limit in bytes", err))
	}
	bytes := int64(math.Floor(float64(available) / 100 * percent))
	if bytes < 1 {
		return MemoryLimit{}, selfContained(fmt.Sprintf("%s of %d bytes is less than one byte", text, available)) // 0 would mean no limit
	}
	return MemoryLimit{Bytes: bytes, Text: text}, nil
}

// clientMemory is the kind of maxmemory-clients.
var clientMemory = kind{
	allowed: "a memory size, or a share of maxmemory such as 5%; 0 = no limit",
	set: func(v *Values, values []string, _ machine) error {
		if share, isShare := strings.CutSuffix(values[0], "%"); isShare {
			percent, ok := resp.ParseInt([]byte(share))
			switch {
			case !ok || percent < 0:
				return reason("argument must be a memory or percent value")
			case percent > 100:
				return reason("percentage argument must be less or equal to 100")
			}
			v.MaxMemoryClients = ClientMemory{Percent: int(percent)}
			return nil
		}
		n, ok := parseSize(values[0])
		if !ok {
			return reason("argument must be a memory or percent value")
		}
		v.MaxMemoryClients = ClientMemory{Bytes: n}
		return nil
	},
	get: func(v *Values) string {
		if percent := v.MaxMemoryClients.Percent; percent > 0 {
			return strconv.Itoa(percent) + "%"
		}
		return strconv.FormatInt(v.MaxMemoryClients.Bytes, 10)
	},
}

// evictionPolicies are the values of maxmemory-policy.
var evictionPolicies = []string{
	"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction",
}

// parseDecimal reads a decimal number. Unlike strconv it refuses
// hexadecimal, '_', inf and nan.
func parseDecimal(text string) (float64, error) {
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}
