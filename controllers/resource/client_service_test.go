package resource

import "testing"

func TestClientService(t *testing.T) { golden(t, "client_service", ClientService(board())) }
