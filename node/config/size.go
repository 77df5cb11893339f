package config

import (
	"math"
	"strconv"
	"strings"
)

// units of a memory size, in bytes: those of real servers, where k is a
// thousand and kb is 1024.
var units = map[string]int64{
	"": 1, "b": 1,
	"k": 1000, "kb": 1 << 10,
	"m": 1000 * 1000, "mb": 1 << 20,
	"g": 1000 * 1000 * 1000, "gb": 1 << 30,
}

// parseSize reads a number of bytes such as 100mb: digits and a unit in any
// case. It refuses what does not fit an int64.
func parseSize(text string) (bytes int64, ok bool) {
	digits := strings.TrimRightFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	unit, known := units[strings.ToLower(text[len(digits):])]
	if !known || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}

// sizeText is the shortest way to write a size without loss.
func sizeText(bytes int64) string {
	for _, unit := range []string{"gb", "mb", "kb"} {
		if u := units[unit]; bytes >= u && bytes%u == 0 {
			return strconv.FormatInt(bytes/u, 10) + unit
		}
	}
	return strconv.FormatInt(bytes, 10)
}
