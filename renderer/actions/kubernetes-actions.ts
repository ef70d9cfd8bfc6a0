/** Clusters in Kubernetes, with the questions that precede what cannot be taken back. */
import type { Params } from "../../main/api/contract.js";
import { showNotice } from "../stores/app-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { confirm, uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { pickFile } from "./file-actions.js";
import { lastFolder } from "./folder-memory.js";

const words = texts.kubernetes.actions;

/** Where kubectl looks for it. It is hidden, so no list of files leads there. */
const KUBECONFIG_FOLDER = "~/.kube";

/** Connects to a namespace. Rejects with a ProblemError; the connection before stays then. */
export async function connectKubernetes(request: Params<"kubernetes.connect">): Promise<void> {
  await client().call("kubernetes.connect", request);
}

/** Asks for a kubeconfig, and shows the contexts of the chosen one, or of `present` if none was chosen. */
export async function chooseKubeconfig(present: string): Promise<void> {
  const extensions: readonly string[] = [];
  const folder = lastFolder(extensions) ?? KUBECONFIG_FOLDER;
  const path = await pickFile({ mode: "open", title: words.chooseKubeconfig, extensions, folder });
  uiActions.open({ kind: "kubernetes", kubeconfig: path ?? present });
}

/** Ends the connection; what was deployed goes on. */
export async function disconnectKubernetes(): Promise<void> {
  await client().call("kubernetes.disconnect");
}

/** Creates or changes a cluster, and shows it. Rejects with a ProblemError. */
export async function deployToKubernetes(request: Params<"kubernetes.deploy">): Promise<void> {
  await client().call("kubernetes.deploy", request);
  uiActions.open({ kind: "kubernetes" });
}

/** Gives a job another number of tasks, after a question. Rejects with a ProblemError. */
export async function scaleJob(cluster: string, job: string, replicas: number): Promise<void> {
  const choice = await confirm({
    title: words.scale.title({ job, replicas }),
    text: words.scale.text({ cluster }),
    choices: [{ id: "scale", label: words.scale.scale, style: "danger" }],
  });
  uiActions.open({ kind: "kubernetes" });
  if (choice === "scale") await client().call("kubernetes.scale", { cluster, job, replicas });
}

/** Deletes a cluster, after a question. Rejects with a ProblemError. */
export async function deleteKubernetesCluster(cluster: string): Promise<void> {
  const { namespace = "" } = useKubernetes.getState().connection ?? {};
  const choice = await confirm({
    title: words.delete.title({ cluster }),
    text: words.delete.text({ namespace }),
    choices: [{ id: "delete", label: words.delete.delete, style: "danger" }],
  });
  uiActions.open({ kind: "kubernetes" });
  if (choice === "delete") await client().call("kubernetes.delete", { cluster });
}

/** Runs graphs on a cluster from now on; without a name, on the machines' own again. Rejects with a ProblemError. */
export async function runGraphsOn(cluster: string | undefined): Promise<void> {
  await client().call("kubernetes.use", cluster === undefined ? {} : { cluster });
}

/** Opens a port of this machine for a task, and says its address. Rejects with a ProblemError. */
export async function forwardPod(pod: string): Promise<void> {
  const target = await client().call("kubernetes.forward", { pod });
  showNotice({ kind: "info", problem: { code: "OK", message: words.forwarded({ pod, target }) } });
}

export async function endForward(pod: string): Promise<void> {
  await client().call("kubernetes.endForward", { pod });
}
