package resource

import "testing"

func TestPodDisruptionBudget(t *testing.T) {
	golden(t, "pod_disruption_budget", PodDisruptionBudget(board(), 0))
}
