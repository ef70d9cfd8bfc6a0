/** Clusters in Kubernetes, for the window. */
import type { kubernetesMethods } from "../api/kubernetes.js";
import type { RunsRoom } from "../runs/room.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import { once, type Room } from "../shared/room.js";
import type { SubmitRoom } from "../submit/room.js";
import type { OpenProbe } from "../tasks/health.js";
import { readDeployedCluster } from "./deployed-cluster.js";
import { KubernetesService } from "./kubernetes-service.js";

export type KubernetesRoom = Room<HandlersOf<typeof kubernetesMethods>>;

export interface KubernetesOptions {
  readonly emit: EmitEvent;
  /** Graphs can run on a cluster in Kubernetes. */
  readonly runs: Pick<RunsRoom, "chooseCluster" | "runsOn">;
  /** Scripts can run there. */
  readonly submit: Pick<SubmitRoom, "attachKubernetes">;
  /** For its tasks. */
  readonly openProbe: OpenProbe;
}

/** Nothing is loaded or connected before the window asks for it. */
export function createKubernetes({ emit, runs, submit, openProbe }: KubernetesOptions): KubernetesRoom {
  const service = new KubernetesService({
    openProbe,
    chooseCluster: runs.chooseCluster,
    runsOn: runs.runsOn,
    onLog: (taskId, lines) => emit("taskLog", { taskId, lines }),
  });
  submit.attachKubernetes((pod) => service.scriptPlace(pod));
  service.onState((state) => emit("kubernetes", state));
  return {
    handlers: {
      "kubernetes.get": () => service.state(),
      "kubernetes.contexts": ({ kubeconfig }) => service.contexts(kubeconfig),
      "kubernetes.connect": (request) => service.connect(request),
      "kubernetes.disconnect": () => service.disconnect(),
      "kubernetes.deploy": ({ tasks, options, force = false }) =>
        service.deploy(readDeployedCluster({ tasks, options }), { force }),
      "kubernetes.scale": ({ cluster, job, replicas }) => service.scale(cluster, job, replicas),
      "kubernetes.delete": ({ cluster }) => service.remove(cluster),
      "kubernetes.forward": ({ pod }) => service.forward(pod),
      "kubernetes.endForward": ({ pod }) => service.endForward(pod),
      "kubernetes.use": ({ cluster }) => service.use(cluster),
      "kubernetes.restart": ({ pod }) => service.restart(pod),
      "kubernetes.clearState": ({ pod }) => service.clearState(pod),
      "kubernetes.taskLog": ({ pod, afterSequence }) => service.taskLog(pod, afterSequence),
      "kubernetes.log": async ({ pod, lines, previous = false }) => {
        const log = [];
        for await (const line of service.log(pod, { follow: false, tailLines: lines, previous }))
          log.push(line);
        return log;
      },
    },
    dispose: once(() => service.dispose()),
  };
}
