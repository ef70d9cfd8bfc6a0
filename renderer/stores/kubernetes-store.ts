/** The connection to Kubernetes and the clusters there, as the application tells them. */
import { create } from "zustand";
import type { KubernetesState } from "../../main/api/kubernetes.js";
import { receiveNodes } from "./cluster-store.js";
import { keepEqual } from "./keep-equal.js";

export const useKubernetes = create<KubernetesState>()(() => ({ clusters: [] }));

export function receiveKubernetes(state: KubernetesState): void {
  const { clusters } = useKubernetes.getState();
  // Parts that the new state lacks, such as a connection, must not stay.
  useKubernetes.setState({ ...state, clusters: keepEqual(clusters, state.clusters) }, true);
  receiveNodes(state.used?.machines);
}
