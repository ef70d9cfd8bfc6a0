/** This machine as a member of the cluster. */
import type { MachineSample } from "../api/samples.js";
import type { MachineRoom } from "../machine/room.js";
import type { Watchers } from "../shared/watchers.js";
import type { TaskHost } from "../tasks/task-host.js";
import type { TunnelHost } from "./cluster-machine.js";
import type { OwnMachine } from "./registry/machine-registry.js";

export interface OwnMachineOptions {
  readonly ownId: string;
  readonly machine: Pick<MachineRoom, "description" | "onChange" | "onSample">;
  readonly tasks: TaskHost;
  readonly tunnels: TunnelHost;
  /** Its load is sampled for its own windows while there are any. */
  readonly watchers: Pick<Watchers, "whileAny">;
}

export function ownMachine({
  ownId,
  machine,
  tasks,
  tunnels,
  watchers,
}: OwnMachineOptions): OwnMachine & { close(): void } {
  const sampleListeners = new Set<(sample: MachineSample) => void>();
  const stopMeasuring = watchers.whileAny(() =>
    machine.onSample((sample) => {
      for (const listener of [...sampleListeners]) listener(sample);
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
    }),
    onChange: (listener) => machine.onChange(listener),
    onSample: (listener) => {
      sampleListeners.add(listener);
      return () => sampleListeners.delete(listener);
    },
    close: stopMeasuring,
  };
}
