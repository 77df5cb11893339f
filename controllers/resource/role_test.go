package resource

import "testing"

func TestRole(t *testing.T) {
	golden(t, "role", Role(board()))
	golden(t, "role_binding", RoleBinding(board()))
}

// A Role must name every pod a shard can have before it has it.
func TestRoleNamesEveryPod(t *testing.T) {
	for _, rule := range Role(board()).Rules {
		if rule.Resources[0] == "pods" && (len(rule.ResourceNames) != 10 || rule.ResourceNames[9] != "board-s0-9") {
			t.Errorf("pods %v", rule.ResourceNames)
		}
	}
}
