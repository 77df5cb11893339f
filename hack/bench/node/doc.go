// Node measures the node beside the newest Redis and Valkey: requests a second and latency of each command over the size of sets, and
// bytes per member and per small key.
//
//	go run ./node -out ../../docs/bench            everything, five rounds; a quarter of an hour
//	go run ./node -short                           a minute and a half, at a small scale, prints tables only
//	go run ./node -rows zadd-new,zrank -sizes 1M -rounds 1
//	                                               two rows alone; a quarter of a minute
//	go run ./node -servers node,old=/tmp/node,valkey -rows ping
//	                                               beside another build of the node
//	go run ./node -append -rows zpopmin -out ../../docs/bench
//	                                               one row anew, the others as they are in the CSV
//
// One client of this project drives all servers, in turn (A B C A B C …); who does not have its turn is stopped. The servers are started
// afresh for each shape of data, without persistence, otherwise as they come. Bars close the output; they inform and do not decide
// the exit status. Linux only: it keeps processes on CPUs and polls raw sockets.
package main
