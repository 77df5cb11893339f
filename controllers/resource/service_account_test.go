package resource

import "testing"

func TestServiceAccount(t *testing.T) { golden(t, "service_account", ServiceAccount(board())) }
