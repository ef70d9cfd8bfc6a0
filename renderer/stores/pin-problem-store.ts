/** Problems of the pins of the open document. Examined while the window is idle. */
import { taskName } from "../cluster/task-name.js";
import { type PinProblem, slicedPinProblems } from "../placement/pin-problems.js";
import { whenIdle } from "../ui/when-idle.js";
import { Background } from "./background.js";
import { runMachinesOf, useCluster } from "./cluster-store.js";
import { perDocument, recordPerDocument } from "./document-session.js";
import { lookupFor } from "./document-state.js";
import { useDocument } from "./document-store.js";
import { areSame, keepEqual } from "./keep-equal.js";
import { currentEngines } from "./kernel-store.js";
import { useOps } from "./ops-store.js";

export interface PinProblemStore {
  readonly problems: readonly PinProblem[];
}

const NONE: readonly PinProblem[] = [];

export const usePinProblems = perDocument<PinProblemStore>(() => ({ problems: NONE }));

/** The state for which the newest result was found. */
const examined = recordPerDocument(() => ({ of: [] as readonly unknown[], background: new Background() }));

/** Examines the active document, if something has changed since. */
export function examinePins(): void {
  const { document, shapes } = useDocument.getState();
  const { ops, state: opsState } = useOps.getState();
  const { state: cluster } = useCluster.getState();
  if (opsState !== "ready" || cluster === undefined) return;
  const engines = currentEngines();
  const of = [document.nodes, document.metaGraph, shapes, ops, engines];
  const record = examined();
  if (areSame(of, record.of)) return;
  record.of = of;
  const input = {
    document,
    lookup: lookupFor(document),
    shapes,
    engines,
    machines: runMachinesOf(useCluster.getState()).map(({ name, memoryBytes, tasks }) => ({
      name,
      memoryBytes,
      tasks: tasks.map(taskName),
    })),
  };
  record.background.start(
    document.nodes.size,
    () => slicedPinProblems(input),
    (found) => usePinProblems.setState(({ problems }) => ({ problems: keepEqual(problems, found) })),
  );
}

/** Keeps the store in sync with the document and the cluster. Called once at start. */
export function watchPins(): void {
  let waiting = false;
  const look = () => {
    if (waiting) return;
    waiting = true;
    whenIdle(() => {
      waiting = false;
      examinePins();
    });
  };
  for (const store of [useDocument, useCluster, useOps]) store.subscribe(look);
  look();
}
