package config

import (
	"strings"

	"zset.dev/operator/node/resp"
)

// users is the lines that make users. Each adds one; what they say is checked
// where rules are understood.
var users = kind{
	allowed: "a name and rules, as of ACL SETUSER",
	list:    true,
	set: func(v *Values, values []string, _ machine) error {
		if len(values) > 0 {
			v.Users = append(v.Users[:len(v.Users):len(v.Users)], values)
		}
		return nil
	},
	get: func(*Values) string { return "" },
}

// percentiles is a list of numbers from 0 to 100.
var percentiles = kind{
	allowed: "numbers from 0 to 100, apart by spaces",
	list:    true,
	set: func(v *Values, values []string, _ machine) error {
		const most = 100
		if len(values) > most {
			return reason("too many percentiles")
		}
		var list []Percentile
		for _, text := range values {
			p, err := resp.ParseScore([]byte(text))
			if err != nil {
				return selfContained("Invalid latency-tracking-info-percentiles parameters")
			}
			if !(p >= 0 && p <= 100) {
				return selfContained("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]")
			}
			list = append(list, Percentile{p, string(resp.AppendScore(nil, p))})
		}
		v.LatencyPercentiles = list
		return nil
	},
	get: func(v *Values) string {
		var words []string
		for _, p := range v.LatencyPercentiles {
			words = append(words, p.Text)
		}
		return strings.Join(words, " ")
	},
}
