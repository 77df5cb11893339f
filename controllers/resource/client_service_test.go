package resource

import "testing"

func TestClientService(t *testing.T) {
	golden(t, "client_service", ClientService(board()))
	golden(t, "primary_slice", PrimarySlice(board()))
	golden(t, "read_service", ReadService(board()))
}

// What nodes write must never be in what the operator applies, and nothing but the slice leads to pods.
func TestClientServiceLeavesEndpointsToTheNodes(t *testing.T) {
	if e := PrimarySlice(board()).Endpoints; e != nil {
		t.Errorf("the operator would own endpoints %v", e)
	}
	if s := ClientService(board()).Spec.Selector; s != nil {
		t.Errorf("the Service selects %v", s)
	}
}
