/** The cluster's gateway: the port through which a stock script without a ClusterSpec uses the cluster. */
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Gateway as GatewayState } from "../api/cluster.js";
import { messageOf } from "../shared/problems.js";
import { addressesOf } from "./addresses.js";
import type { ClusterService } from "./cluster-service.js";
import { GATEWAY_PORT, Gateway, type GatewayCluster } from "./gateway/gateway.js";

export class ClusterGateway {
  #stopListening = () => {};
  /** Set from the first task on; a machine without tasks needs no gateway. */
  #opening: Promise<Gateway> | undefined;
  #state: GatewayState | undefined;

  /**
   * Opens as soon as the cluster has a task. The cluster reports the gateway to its windows, so the gateway is created
   * first.
   */
  follow(cluster: Pick<ClusterService, "tasks" | "membership" | "onChange" | "refresh">): void {
    this.#stopListening = cluster.onChange(() => {
      if (this.#opening || cluster.tasks().length === 0) return;
      inBackground(this.#open(() => gatewayCluster(cluster)).then(() => cluster.refresh()));
    });
  }

  /** Undefined while there has been no task. */
  state(): GatewayState | undefined {
    return this.#state;
  }

  async close(): Promise<void> {
    this.#stopListening();
    const gateway = await this.#opening?.catch(() => undefined);
    await gateway?.close();
  }

  async #open(cluster: () => GatewayCluster | undefined): Promise<void> {
    this.#opening = Gateway.listen({ cluster });
    try {
      this.#state = { target: (await this.#opening).target };
    } catch (error) {
      this.#state = {
        target: `grpc://127.0.0.1:${GATEWAY_PORT}`,
        problem: {
          code: "UNAVAILABLE",
          message: "Scripts cannot use the cluster through its gateway: no port could be opened for it.",
          details: messageOf(error),
        },
      };
    }
  }
}

/** The running tasks that a session can use; undefined if there are none. */
function gatewayCluster(cluster: Pick<ClusterService, "tasks" | "membership">): GatewayCluster | undefined {
  const running = cluster.tasks().filter(({ state, unusable }) => state === "running" && !unusable);
  if (running.length === 0) return undefined;
  return {
    clusterDef: ClusterSpec.from(addressesOf(running)).asClusterDef(),
    isPropagated: cluster.membership === "dynamic",
  };
}
