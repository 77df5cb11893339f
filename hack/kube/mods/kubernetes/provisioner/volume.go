package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/klog/v2"
)

const (
	selectedNode  = "volume.kubernetes.io/selected-node" // on a claim, by the scheduler
	provisionedBy = "pv.kubernetes.io/provisioned-by"    // on our volumes
)

// provisioner holds what one pass needs. Only the goroutine of run uses it.
type provisioner struct {
	root, inNode, name string

	client  kubernetes.Interface
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
}

// pass makes the volumes that are wanted and removes those that are released.
// It reports whether nothing failed.
func (p *provisioner) pass(ctx context.Context) bool {
	ok := true
	claims, err := p.claims.List(labels.Everything())
	if err != nil {
		klog.ErrorS(err, "list claims")
		return false
	}
	for _, c := range claims {
		if err := p.provision(ctx, c); err != nil {
			klog.ErrorS(err, "provision", "claim", klog.KObj(c))
			ok = false
		}
	}
	volumes, err := p.volumes.List(labels.Everything())
	if err != nil {
		klog.ErrorS(err, "list volumes")
		return false
	}
	for _, v := range volumes {
		if err := p.remove(ctx, v); err != nil {
			klog.ErrorS(err, "delete", "volume", v.Name)
			ok = false
		}
	}
	return ok
}

// provision makes folder and volume of a claim, if it waits for one of ours.
func (p *provisioner) provision(ctx context.Context, c *v1.PersistentVolumeClaim) error {
	node := c.Annotations[selectedNode]
	if c.Spec.VolumeName != "" || c.Spec.StorageClassName == nil || c.DeletionTimestamp != nil || node == "" {
		return nil
	}
	class, err := p.classes.Get(*c.Spec.StorageClassName)
	if apierrors.IsNotFound(err) || err == nil && class.Provisioner != p.name {
		return nil
	}
	if err != nil {
		return err
	}
	name := "pvc-" + string(c.UID)
	if _, err := p.volumes.Get(name); err == nil {
		return nil
	}
	dir, err := p.folder(node, name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o777); err != nil { // MkdirAll obeys the umask; pods run as any user
		return err
	}
	_, err = p.client.CoreV1().PersistentVolumes().Create(ctx, p.volumeFor(c, class, name, node), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (p *provisioner) volumeFor(c *v1.PersistentVolumeClaim, class *storagev1.StorageClass, name, node string) *v1.PersistentVolume {
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{provisionedBy: p.name}},
		Spec: v1.PersistentVolumeSpec{
			StorageClassName:              class.Name,
			PersistentVolumeReclaimPolicy: *class.ReclaimPolicy,
			AccessModes:                   c.Spec.AccessModes,
			Capacity:                      v1.ResourceList{v1.ResourceStorage: c.Spec.Resources.Requests[v1.ResourceStorage]},
			ClaimRef:                      &v1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: c.Namespace, Name: c.Name, UID: c.UID},
			PersistentVolumeSource:        v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: filepath.Join(p.inNode, name)}},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{node}}},
			}}}},
		},
	}
}

// remove deletes folder and volume, if it is ours, released and meant to go.
func (p *provisioner) remove(ctx context.Context, v *v1.PersistentVolume) error {
	if v.Annotations[provisionedBy] != p.name || v.Status.Phase != v1.VolumeReleased ||
		v.Spec.PersistentVolumeReclaimPolicy != v1.PersistentVolumeReclaimDelete || v.DeletionTimestamp != nil {
		return nil
	}
	dir, err := p.folder(v.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0], v.Name)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	err = p.client.CoreV1().PersistentVolumes().Delete(ctx, v.Name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// folder is the volume's folder on the host. Names come from the API server, so
// they are checked before anything is made or removed below them.
func (p *provisioner) folder(node, volume string) (string, error) {
	if !filepath.IsLocal(node) || !filepath.IsLocal(volume) {
		return "", fmt.Errorf("node %q or volume %q is no plain name", node, volume)
	}
	return filepath.Join(p.root, node, "pv", volume), nil
}
