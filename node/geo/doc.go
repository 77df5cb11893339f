// Package geo is the mathematics of the geospatial commands: places as scores
// of a sorted set, distances, and which runs of scores a search must look at.
// It is pure: numbers in, numbers out.
//
// # A place as a score
//
// Longitude and latitude are each halved 26 times, and each halving gives a
// bit: 1 for the upper half. The bits alternate, longitude first, from the
// highest:
//
//	bit      51  50  49  48        1   0
//	of      lon lat lon lat  …   lon lat
//
// 52 bits are exact in a double. Places near each other mostly share their
// highest bits, so a cell, all places with the same 2n highest bits, is one
// run of scores. The code is Gustavo Niemeyer's geohash of 2008
// (https://en.wikipedia.org/wiki/Geohash), with latitude cut off where the Web
// Mercator projection ends (EPSG:900913), so that cells are nearly square.
//
// # Distance
//
// By the haversine formula (R. W. Sinnott, "Virtues of the Haversine", Sky and
// Telescope 68(2), 1984) on a sphere with the radius that all servers with
// these commands use. The ellipsoid's error is up to 0.5 %.
//
// Scores, distances and the order of a search's results agree with those of
// Redis and Valkey, which is what tests hold them against.
package geo
