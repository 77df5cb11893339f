package resource

import "testing"

func TestHeadlessService(t *testing.T) { golden(t, "headless_service", HeadlessService(board())) }
