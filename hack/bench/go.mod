module zset.dev/operator/hack/bench

go 1.26.0

require (
	github.com/emirpasic/gods v1.18.1
	github.com/google/btree v1.1.3
	github.com/huandu/skiplist v1.2.1
	github.com/tidwall/btree v1.8.2
	github.com/tidwall/redcon v1.6.4
	golang.org/x/sys v0.50.0
	gonum.org/v1/plot v0.17.0
	zset.dev/operator v0.0.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/redis/go-redis/v9 v9.23.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/image v0.30.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)

replace zset.dev/operator => ../..
