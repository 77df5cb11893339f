// Package tuning turns a cluster's spec into the configuration directives of its nodes, and tells whether a node has them.
//
// It owns which directives the operator manages, their canonical values, the text of node.conf, and the difference
// between what is wanted and what a node reports. All of it is pure: no API server, no node, no clock. The controllers
// call it; nobody else does.
//
// A directive reaches a node twice: in node.conf, which a node reads when it boots, and by CONFIG SET while it runs.
package tuning
