import type { LogLine } from "../api/cluster.js";
import type { TaskHost, TaskSamples } from "../tasks/task-host.js";

export interface HostEvents {
  readonly onChange: () => void;
  readonly onLog: (taskId: string, lines: LogLine[]) => void;
  readonly onSamples: (samples: TaskSamples) => void;
}

/** Listens to each machine's task host while the machine is listed. */
export class HostListeners {
  readonly #events: HostEvents;
  readonly #stops = new Map<TaskHost, readonly (() => void)[]>();

  constructor(events: HostEvents) {
    this.#events = events;
  }

  /** Listens to exactly these hosts. */
  follow(hosts: ReadonlySet<TaskHost>): void {
    for (const [host, stops] of this.#stops) {
      if (hosts.has(host)) continue;
      for (const stop of stops) stop();
      this.#stops.delete(host);
    }
    const { onChange, onLog, onSamples } = this.#events;
    for (const host of hosts) {
      if (this.#stops.has(host)) continue;
      this.#stops.set(host, [host.onChange(onChange), host.onLog(onLog), host.onSamples(onSamples)]);
    }
  }
}
