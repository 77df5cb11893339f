package insync

import "context"

// Keeper writes the list down where those look who may take the primary's place.
type Keeper interface {
	// Write replaces the list. It returns nil once the list is written, and nothing that was to be written before can
	// replace it any more. After an error it may be written or not. The names are not changed afterwards.
	Write(ctx context.Context, names []string) error
}

// Memory keeps the list nowhere but here: for a node whose place somebody takes by hand, who asks the node, or the
// replica itself, who is in sync.
type Memory struct{}

// Write implements Keeper.
func (Memory) Write(context.Context, []string) error { return nil }
