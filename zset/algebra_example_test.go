package zset_test

import (
	"fmt"

	"zset.dev/operator/zset"
)

func setFrom(scores map[string]float64) *zset.Set {
	s := zset.New(nil)
	for member, score := range scores {
		s.Add([]byte(member), score, 0)
	}
	return s
}

func ExampleAlgebra_Union() {
	monday := setFrom(map[string]float64{"ann": 10, "bob": 7})
	tuesday := setFrom(map[string]float64{"bob": 8, "cid": 3})

	var a zset.Algebra
	// What is a day older counts half.
	for member, score := range a.Union(zset.Sum, zset.Input{Set: monday, Weight: 0.5}, zset.Input{Set: tuesday, Weight: 1}).All() {
		fmt.Println(string(member), score)
	}
	// Output:
	// cid 3
	// ann 5
	// bob 11.5
}

func ExampleResult_Build() {
	monday := setFrom(map[string]float64{"ann": 10, "bob": 7})
	tuesday := setFrom(map[string]float64{"bob": 8, "cid": 3})

	var a zset.Algebra
	best, err := a.Intersect(zset.Max, zset.Input{Set: monday, Weight: 1}, zset.Input{Set: tuesday, Weight: 1}).Build(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	score, ok := best.Score([]byte("bob"))
	fmt.Println(best.Len(), score, ok)
	// Output:
	// 1 8 true
}

func ExampleAlgebra_Diff() {
	all := setFrom(map[string]float64{"ann": 10, "bob": 7, "cid": 3})
	seen := setFrom(map[string]float64{"bob": 1})

	var a zset.Algebra
	for member, score := range a.Diff(all, seen).All() {
		fmt.Println(string(member), score)
	}
	// Output:
	// cid 3
	// ann 10
}

func ExampleAlgebra_IntersectCount() {
	one := setFrom(map[string]float64{"ann": 10, "bob": 7, "cid": 3})
	other := setFrom(map[string]float64{"bob": 1, "cid": 5, "dan": 2})

	var a zset.Algebra
	fmt.Println(a.IntersectCount(0, one, other), a.IntersectCount(1, one, other))
	// Output:
	// 2 1
}
