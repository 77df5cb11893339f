// Package report writes what was measured: tables for people on standard output and in Markdown, CSV for
// programs, SVG plots, and the machine that it was measured on. Only the benchmarks may use it.
package report
