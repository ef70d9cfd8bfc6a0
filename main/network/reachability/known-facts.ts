/**
 * The facts for diagnoses besides the cluster and its routes, gathered from the events that the application sends to
 * its windows.
 */
import type { LogLine } from "../../api/cluster.js";
import type { RunUpdate } from "../../api/runs.js";
import type { EventListener } from "../../shared/events.js";
import { defined } from "../../shared/problems.js";
import type { SessionFacts } from "./diagnoses/situation.js";
import { proxySettings } from "./proxies.js";
import type { FurtherFacts } from "./reachability-service.js";

/** Diagnoses consider only recent lines; a task in trouble writes a few lines a second. */
const KEPT_LINES = 120;

export interface KnownFactsOptions {
  /** Id of this machine, whose environment is examined. */
  readonly machineId: () => string;
  /** Calls the listener for every event of the application, until the returned function is called. */
  readonly listen: (listener: EventListener) => () => void;
  /** The tasks, with the incarnation that distinguishes one server from the next. */
  readonly tasks: () => readonly { readonly id: string; readonly incarnation: string | undefined }[];
}

export class KnownFacts {
  readonly #options: KnownFactsOptions;
  readonly #logs = new Map<string, LogLine[]>();
  readonly #stopListening: () => void;
  #session: SessionFacts | undefined;
  #runId: string | undefined;

  constructor(options: KnownFactsOptions) {
    this.#options = options;
    this.#stopListening = options.listen((event, data) => {
      // The compiler does not relate a listener's data to the name of its event; their shapes do.
      if (event === "taskLog" && data && "taskId" in data) this.#keep(data.taskId, data.lines);
      if (event === "run" && data && "runId" in data) this.#follow(data);
    });
  }

  /** For ReachabilityService. */
  facts(): FurtherFacts {
    const tasks = this.#options.tasks();
    const ids = new Set(tasks.map(({ id }) => id));
    for (const id of this.#logs.keys()) {
      if (!ids.has(id)) this.#logs.delete(id);
    }
    const incarnations = new Map<string, string>();
    for (const { id, incarnation } of tasks) {
      if (incarnation !== undefined) incarnations.set(id, incarnation);
    }
    return defined({
      proxies: [{ machineId: this.#options.machineId(), ...proxySettings() }],
      logs: this.#logs,
      incarnations,
      session: this.#session,
    });
  }

  dispose(): void {
    this.#stopListening();
  }

  #keep(taskId: string, lines: readonly LogLine[]): void {
    this.#logs.set(taskId, [...(this.#logs.get(taskId) ?? []), ...lines].slice(-KEPT_LINES));
  }

  #follow({ runId, state, problem }: RunUpdate): void {
    const began = runId === this.#runId ? this.#session?.since : undefined;
    this.#runId = runId;
    this.#session = defined({
      state: state === "preparing" ? ("opening" as const) : ("open" as const),
      since: began ?? Date.now(),
      problem,
    });
  }
}
