package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"zset.dev/operator/node/resp"
)

// The constructors below make the kinds most directives have. Each takes the
// field of Values the directive stands for. The reasons are worded as real
// servers word them, since clients and their tests compare.

// integer is a whole number from low to high.
func integer(field func(*Values) *int, low, high int) kind {
	return kind{
		allowed: span(low, high),
		set: func(v *Values, values []string, _ machine) error {
			n, err := parseInteger(values[0], low, high)
			if err == nil {
				*field(v) = n
			}
			return err
		},
		get: func(v *Values) string { return strconv.Itoa(*field(v)) },
	}
}

func parseInteger(text string, low, high int) (int, error) {
	n, ok := resp.ParseInt([]byte(text))
	if !ok {
		return 0, reason("argument couldn't be parsed into an integer")
	}
	if n < int64(low) || n > int64(high) {
		return 0, selfContained(fmt.Sprintf("argument must be between %d and %d inclusive", low, high))
	}
	return int(n), nil
}

func span(low, high int) string {
	if high == math.MaxInt {
		return fmt.Sprintf("%d or more", low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// seconds is a time in whole seconds, 0 or more.
func seconds(field func(*Values) *time.Duration) kind { return secondsFrom(0, field) }

// secondsFrom is a time in whole seconds of at least low.
func secondsFrom(low int, field func(*Values) *time.Duration) kind {
	return kind{
		allowed: span(low, math.MaxInt32),
		set: func(v *Values, values []string, _ machine) error {
			n, err := parseInteger(values[0], low, math.MaxInt32)
			if err == nil {
				*field(v) = time.Duration(n) * time.Second
			}
			return err
		},
		get: func(v *Values) string { return strconv.FormatInt(int64(*field(v)/time.Second), 10) },
	}
}

// milliseconds is a time in whole milliseconds of at least low.
func milliseconds(field func(*Values) *time.Duration, low int) kind {
	return kind{
		allowed: span(low, math.MaxInt32),
		set: func(v *Values, values []string, _ machine) error {
			n, err := parseInteger(values[0], low, math.MaxInt32)
			if err == nil {
				*field(v) = time.Duration(n) * time.Millisecond
			}
			return err
		},
		get: func(v *Values) string { return strconv.FormatInt(field(v).Milliseconds(), 10) },
	}
}

// size is a number of bytes of at least low.
func size(field func(*Values) *int64, low int64) kind {
	return kind{
		allowed: fmt.Sprintf("a memory size of at least %s", sizeText(low)),
		set: func(v *Values, values []string, _ machine) error {
			n, ok := parseSize(values[0])
			if !ok {
				return reason("argument must be a memory value")
			}
			if n < low {
				return selfContained(fmt.Sprintf("argument must be between %d and %d inclusive", low, int64(math.MaxInt64)))
			}
			*field(v) = n
			return nil
		},
		get: func(v *Values) string { return strconv.FormatInt(*field(v), 10) },
	}
}

// yesNo is a switch.
func yesNo(field func(*Values) *bool) kind {
	return kind{
		allowed: "yes or no",
		set: func(v *Values, values []string, _ machine) error {
			switch strings.ToLower(values[0]) {
			case "yes":
				*field(v) = true
			case "no":
				*field(v) = false
			default:
				return selfContained("argument must be 'yes' or 'no'")
			}
			return nil
		},
		get: func(v *Values) string {
			if *field(v) {
				return "yes"
			}
			return "no"
		},
	}
}

// oneOf is a choice of words.
func oneOf[T ~string](field func(*Values) *T, choices ...string) kind {
	return kind{
		allowed: strings.Join(choices, ", "),
		set: func(v *Values, values []string, _ machine) error {
			choice := strings.ToLower(values[0])
			if !slices.Contains(choices, choice) {
				return selfContained("argument(s) must be one of the following: " + strings.Join(choices, ", "))
			}
			*field(v) = T(choice)
			return nil
		},
		get: func(v *Values) string { return string(*field(v)) },
	}
}

// text is any one value.
func text(allowed string, field func(*Values) *string) kind {
	return kind{
		allowed: allowed,
		set: func(v *Values, values []string, _ machine) error {
			*field(v) = values[0]
			return nil
		},
		get: func(v *Values) string { return *field(v) },
	}
}

// only is a directive users bring from other servers for which the node has
// one way to be. That value is accepted, any other refused with the reason:
// to accept it would be to ignore it.
func only(value, why string) kind {
	shown := value
	if shown == "" {
		shown = `""`
	}
	return kind{
		allowed: "only " + shown,
		list:    true, // save "" and save 3600 1 300 100
		set: func(_ *Values, values []string, _ machine) error {
			if !strings.EqualFold(strings.Join(values, " "), value) {
				return selfContained(fmt.Sprintf("argument must be %s: %s", shown, why))
			}
			return nil
		},
		get: func(*Values) string { return value },
	}
}
