/** The cluster's door: the port at which a stock script without a ClusterSpec of its own uses the cluster. */
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Door as DoorState } from "../api/cluster.js";
import { messageOf } from "../shared/problems.js";
import { addressesOf } from "./addresses.js";
import type { ClusterService } from "./cluster-service.js";
import { DOOR_PORT, Door, type DoorCluster } from "./door/door.js";

export class ClusterDoor {
  #stopListening = () => {};
  /** Set from the first task on; a machine without tasks needs no door. */
  #opening: Promise<Door> | undefined;
  #state: DoorState | undefined;

  /** Opens as soon as the cluster has a task. The cluster tells its windows of the door, so the door is made before it. */
  follow(cluster: Pick<ClusterService, "tasks" | "membership" | "onChange" | "refresh">): void {
    this.#stopListening = cluster.onChange(() => {
      if (this.#opening || cluster.tasks().length === 0) return;
      inBackground(this.#open(() => doorCluster(cluster)).then(() => cluster.refresh()));
    });
  }

  /** Undefined while there has been no task. */
  state(): DoorState | undefined {
    return this.#state;
  }

  async close(): Promise<void> {
    this.#stopListening();
    const door = await this.#opening?.catch(() => undefined);
    await door?.close();
  }

  async #open(cluster: () => DoorCluster | undefined): Promise<void> {
    this.#opening = Door.listen({ cluster });
    try {
      this.#state = { target: (await this.#opening).target };
    } catch (error) {
      this.#state = {
        target: `grpc://127.0.0.1:${DOOR_PORT}`,
        problem: {
          code: "UNAVAILABLE",
          message: "Scripts cannot use the cluster through its door: no port could be opened for it.",
          details: messageOf(error),
        },
      };
    }
  }
}

/** The running tasks that a session can take in; undefined where there is none. */
function doorCluster(cluster: Pick<ClusterService, "tasks" | "membership">): DoorCluster | undefined {
  const running = cluster.tasks().filter(({ state, unusable }) => state === "running" && !unusable);
  if (running.length === 0) return undefined;
  return {
    clusterDef: ClusterSpec.from(addressesOf(running)).asClusterDef(),
    isPropagated: cluster.membership === "dynamic",
  };
}
