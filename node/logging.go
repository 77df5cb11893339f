package node

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"zset.dev/operator/node/config"
)

// NewLogger logs to the configured file, or to stdout, at the configured
// level, which follows CONFIG SET. Close the closer when the node has stopped.
func NewLogger(c *config.Config, stdout io.Writer) (*slog.Logger, io.Closer, error) {
	values := c.Values()
	out, closer := stdout, io.Closer(io.NopCloser(nil))
	if values.LogFile != "" {
		file, err := os.OpenFile(values.LogFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot open the log file: %w", err)
		}
		out, closer = file, file
	}
	var level slog.LevelVar
	level.Set(values.LogLevel.Level())
	c.OnChange(func(_, now *config.Values) { level.Set(now.LogLevel.Level()) })
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: &level})), closer, nil
}
