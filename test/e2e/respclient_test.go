//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

const clientPod = `
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: respcli
    image: IMAGE
    args: ["-wait"]
    securityContext: {readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`

// respClient is a pod that runs RESP commands against the Service of "board" in its namespace.
type respClient struct{ ns string }

func startRESPClient(t *testing.T, ns string) respClient {
	t.Helper()
	mustKubectl(t, strings.ReplaceAll(clientPod, "IMAGE", respcliImage), "apply", "-n", ns, "-f", "-")
	mustKubectl(t, "", "wait", "-n", ns, "--for=condition=Ready", "pod/client", "--timeout=60s")
	return respClient{ns}
}

// do runs one command and returns its reply as redis-cli would print it.
func (c respClient) do(t *testing.T, args ...string) string {
	t.Helper()
	return mustKubectl(t, "", append([]string{"exec", "-n", c.ns, "client", "--", "/respcli", "-addr", "board:6379"}, args...)...)
}

// expect runs one command and compares its reply.
func (c respClient) expect(t *testing.T, want string, args ...string) {
	t.Helper()
	if got := c.do(t, args...); got != want {
		t.Errorf("%s: %q, want %q", strings.Join(args, " "), got, want)
	}
}

// script runs one command a line over one connection and returns all replies.
func (c respClient) script(t *testing.T, lines ...string) string {
	t.Helper()
	return mustKubectl(t, strings.Join(lines, "\n")+"\n", "exec", "-i", "-n", c.ns, "client", "--", "/respcli", "-addr", "board:6379")
}
