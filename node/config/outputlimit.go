package config

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// outputLimits is the kind of client-output-buffer-limit: groups of class,
// hard limit, soft limit and seconds. Classes not named keep their limits.
var outputLimits = kind{
	allowed: "normal, replica or pubsub, each with a hard limit, a soft limit and the seconds the soft one may be exceeded; 0 = no such limit",
	list:    true,
	set: func(v *Values, values []string, _ machine) error {
		limits := v.ClientOutputBufferLimit
		if len(values) == 0 || len(values)%4 != 0 {
			return reason("Wrong number of arguments in buffer limit configuration.")
		}
		for i := 0; i < len(values); i += 4 {
			limit := limits.class(values[i])
			if limit == nil {
				return reason("Invalid client class specified in buffer limit configuration.")
			}
			hard, hardOK := parseSize(values[i+1])
			soft, softOK := parseSize(values[i+2])
			seconds, err := parseInteger(values[i+3], 0, math.MaxInt32)
			if !hardOK || !softOK || err != nil {
				return reason("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
			}
			*limit = OutputBufferLimit{Hard: hard, Soft: soft, SoftFor: time.Duration(seconds) * time.Second}
		}
		v.ClientOutputBufferLimit = limits
		return nil
	},
	get: func(v *Values) string {
		l := v.ClientOutputBufferLimit
		return fmt.Sprintf("normal %v slave %v pubsub %v", l.Normal, l.Replica, l.PubSub)
	},
}

// class returns the limit of a class of clients by its name in
// node.conf; nil if there is none.
func (l *OutputBufferLimits) class(name string) *OutputBufferLimit {
	switch strings.ToLower(name) {
	case "normal":
		return &l.Normal
	case "replica", "slave":
		return &l.Replica
	case "pubsub":
		return &l.PubSub
	}
	return nil
}

// String returns the limit as CONFIG GET prints it, in bytes and seconds.
func (l OutputBufferLimit) String() string {
	return fmt.Sprintf("%d %d %d", l.Hard, l.Soft, l.SoftFor/time.Second)
}
