// Package pubsub is who is subscribed to what, and the delivery of messages.
//
// There are three kinds of subscription: to a channel, to a pattern of
// channels, and to a shard channel, which only messages sent to it as such
// reach. A message is encoded once for each protocol and pushed to its
// subscribers (client.Client.Push), so publishing waits for no socket and a
// subscriber that does not keep up costs nobody but itself.
//
// Messages are delivered one at a time, so any two subscribers see those they
// both get in the same order. The hub does no I/O and knows neither commands
// nor keys.
package pubsub
