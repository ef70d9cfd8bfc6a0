/** This machine as one of the cluster's. */
import type { MachineRoom } from "../machine/room.js";
import type { Watchers } from "../shared/watchers.js";
import type { TaskHost } from "../tasks/task-host.js";
import type { TunnelHost } from "./cluster-machine.js";
import type { OwnMachine } from "./registry/machine-registry.js";

export interface OwnMachineOptions {
  readonly ownId: string;
  readonly machine: Pick<MachineRoom, "description" | "metrics" | "onChange" | "onMetrics">;
  readonly tasks: TaskHost;
  readonly tunnels: TunnelHost;
  /** How busy it is is measured for its own windows while there are any. */
  readonly watchers: Pick<Watchers, "whileAny">;
}

export function ownMachine({
  ownId,
  machine,
  tasks,
  tunnels,
  watchers,
}: OwnMachineOptions): OwnMachine & { close(): void } {
  const loadListeners = new Set<() => void>();
  const stopMeasuring = watchers.whileAny(() =>
    machine.onMetrics(() => {
      for (const listener of [...loadListeners]) listener();
    }),
  );
  return {
    tasks,
    tunnels,
    facts: () => ({
      ...machine.description(),
      id: ownId,
      kind: "this",
      presence: "online",
      metrics: [...machine.metrics()],
    }),
    onChange: (listener) => {
      loadListeners.add(listener);
      const stop = machine.onChange(listener);
      return () => {
        stop();
        loadListeners.delete(listener);
      };
    },
    close: stopMeasuring,
  };
}
