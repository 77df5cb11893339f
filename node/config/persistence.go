package config

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// savePoints is pairs of seconds and changes.
var savePoints = kind{
	allowed: `pairs of seconds and changes; "" = never`,
	list:    true,
	set: func(v *Values, values []string, _ machine) error {
		if len(values)%2 != 0 && (len(values) > 1 || values[0] != "") {
			return reason("Invalid save parameters")
		}
		var points []SavePoint
		for i := 0; i+1 < len(values); i += 2 {
			after, err := parseInteger(values[i], 1, math.MaxInt32)
			if err != nil {
				return reason("Invalid save parameters")
			}
			changes, err := parseInteger(values[i+1], 0, math.MaxInt32)
			if err != nil {
				return reason("Invalid save parameters")
			}
			points = append(points, SavePoint{time.Duration(after) * time.Second, int64(changes)})
		}
		v.Save = points
		return nil
	},
	get: func(v *Values) string {
		var words []string
		for _, p := range v.Save {
			words = append(words, strconv.FormatInt(int64(p.After/time.Second), 10), strconv.FormatInt(p.Changes, 10))
		}
		return strings.Join(words, " ")
	},
}

// fileName is the name of a file or folder, without a path to it.
func fileName(field func(*Values) *string) kind {
	return kind{
		allowed: "a name without a path",
		set: func(v *Values, values []string, _ machine) error {
			name := values[0]
			if name == "" || name == "." || name == ".." || filepath.Base(name) != name || strings.ContainsAny(name, "\x00\n\r") {
				return selfContained(fmt.Sprintf("argument must be a name, not a path, and is %q", name))
			}
			*field(v) = name
			return nil
		},
		get: func(v *Values) string { return *field(v) },
	}
}
