package resource

import "testing"

func TestConfigMap(t *testing.T) { golden(t, "config_map", ConfigMap(board())) }
