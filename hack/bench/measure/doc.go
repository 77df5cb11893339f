// Package measure takes figures: in processes of their own so that no contender's garbage or heap weighs on
// another's, on a thread kept on one CPU, several times, and says how far they scatter. Only the benchmarks may
// use it.
package measure
