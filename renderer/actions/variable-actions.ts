/** Reads and changes the variables that the tasks hold for the open document. */
import type { FeedValue } from "../../main/api/feeds.js";
import { MAX_READ_VARIABLES } from "../../main/api/variables.js";
import { ProblemError, toProblem } from "../../main/api/wire.js";
import { initialisersOf } from "../document/initialisers.js";
import { variablesOf } from "../document/variables.js";
import { dismissNoticeByKey, showNotice } from "../stores/app-store.js";
import { activeSession, inSession, recordPerDocument } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { confirm, uiActions } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { client } from "../transport/client.js";
import { bytesText, countText, listText } from "../ui/format.js";
import { baseNameOf, pickFile } from "./file-actions.js";
import { initialise } from "./initialise-actions.js";

const CHECKPOINT_NOTICE = "checkpoint";
let jobs = 0;

/** Reads that are on their way. */
const pending = recordPerDocument(() => ({ inspection: 0, figures: new Set<string>() }));

/**
 * Reads which variables have values, and where; the figures follow for those that are looked at. Never rejects: the
 * store has the problem.
 */
export async function inspectVariables(): Promise<void> {
  const session = activeSession();
  const store = useVariables.of(session);
  const { nodes } = useDocument.getState().document;
  if (variablesOf(nodes).length === 0) return;
  const number = ++pending().inspection;
  store.setState({ reading: true });
  try {
    const step = useDocumentRun.getState().latest?.step;
    const { graphId, variables } = await client().call("variables.inspect", {
      graph: documentActions.toRunGraph(),
    });
    if (number !== pending(session).inspection) return;
    pending(session).figures.clear();
    store.setState({
      ...{ nodes, graphId, step, readAt: Date.now(), figures: new Map(), problem: undefined },
      states: new Map(variables.map((state) => [state.name, state])),
    });
    const opened = [...store.getState().kept.keys()];
    await inSession(session, () => keepAgain(opened, graphId));
  } catch (error) {
    if (number !== pending(session).inspection) return;
    store.setState({ problem: toProblem(error), graphId: undefined, states: new Map(), figures: new Map() });
  } finally {
    if (number === pending(session).inspection) store.setState({ reading: false });
  }
}

/** Reads the figures of variables that have a value, as far as they are not known; never rejects. */
export async function readFigures(names: readonly string[]): Promise<void> {
  const session = activeSession();
  const store = useVariables.of(session);
  const { graphId, states, figures } = store.getState();
  const asked = pending().figures;
  const { inspection } = pending();
  const wanted = names
    .filter((name) => states.get(name)?.initialized && !figures.has(name) && !asked.has(name))
    .slice(0, MAX_READ_VARIABLES);
  if (graphId === undefined || wanted.length === 0) return;
  for (const name of wanted) asked.add(name);
  try {
    const found = await client().call("variables.figures", { graphId, names: wanted });
    if (inspection !== pending(session).inspection) return;
    store.setState((state) => ({
      figures: new Map([...state.figures, ...found.map((one) => [one.name, one] as const)]),
    }));
  } catch (error) {
    if (inspection === pending(session).inspection) store.setState({ problem: toProblem(error) });
  }
}

/** The application's id of the open document's graph as it is now. */
async function currentGraph(): Promise<string> {
  const { nodes, graphId } = useVariables.getState();
  if (graphId !== undefined && nodes === useDocument.getState().document.nodes) return graphId;
  const session = activeSession();
  await inspectVariables();
  const { graphId: found, problem } = useVariables.of(session).getState();
  if (found !== undefined) return found;
  throw new ProblemError(problem ?? { code: "ABORTED", message: "The graph was changed meanwhile." });
}

/** Reads a variable's value and shows it as a tensor. */
export async function openVariable(name: string): Promise<void> {
  const session = activeSession();
  const graphId = await currentGraph();
  await inSession(session, () => keep(name, graphId));
  uiActions.openTensor(name);
}

async function keep(name: string, graphId: string): Promise<void> {
  const store = useVariables.of(activeSession());
  const variable = await client().call("variables.keep", { graphId, name });
  store.setState(({ kept }) => ({ kept: new Map(kept).set(name, { ...variable, readAt: Date.now() }) }));
}

/** Variables that are open as tabs follow the values; one that has none any more keeps showing its last. */
async function keepAgain(names: readonly string[], graphId: string): Promise<void> {
  const session = activeSession();
  for (const name of names) {
    if (!useVariables.of(session).getState().states.get(name)?.initialized) continue;
    await inSession(session, () => keep(name, graphId));
  }
}

/** Assigns a value. @throws ProblemError if it is not of the variable's dtype and shape, or the task is gone */
export async function assignVariable(name: string, value: FeedValue): Promise<void> {
  const session = activeSession();
  const graphId = await currentGraph();
  await client().call("variables.assign", { graphId, name, value });
  await inSession(session, inspectVariables);
}

/** Assigns the content of a file of the application's machine; asks which one. */
export async function assignFromFile(name: string): Promise<void> {
  const session = activeSession();
  const path = await pickFile({
    mode: "open",
    title: `Value of ${name}`,
    extensions: ["npy", "npz", "csv", "tsv"],
  });
  if (path !== undefined) await inSession(session, () => assignVariable(name, { kind: "file", path }));
}

/** Gives variables the values of their initializers. */
export async function initialiseVariables(names: readonly string[]): Promise<void> {
  const session = activeSession();
  const { targets, missing } = initialisersOf(useDocument.getState().document.nodes, names);
  if (targets.length === 0) {
    throw new ProblemError({
      code: "FAILED_PRECONDITION",
      message: `${names.length === 1 ? names[0] : "None of the variables"} has ${names.length === 1 ? "no" : "an"} initializer.`,
      reason: "No node of the graph assigns a first value.",
      remedy: "Assign a value, or restore a checkpoint.",
    });
  }
  if (!(await initialise(targets))) return;
  if (missing.length > 0) {
    const some = missing.length <= 3 ? listText(missing) : countText(missing.length, "variable");
    showNotice({
      kind: "info",
      key: CHECKPOINT_NOTICE,
      problem: {
        code: "OK",
        message: `Initialized all but ${some}, for which the graph has no initializer.`,
      },
    });
  }
  await inSession(session, inspectVariables);
}

/** Saves variables to a checkpoint on the application's machine; asks for its path. */
export async function saveVariables(names: readonly string[]): Promise<void> {
  const session = activeSession();
  const what = names.length === 1 ? (names[0] ?? "") : baseNameOf(useDocument.getState().document.name);
  const path = await pickFile({
    mode: "save",
    title: names.length === 1 ? `Save ${what}` : "Save the variables",
    extensions: ["index"],
    suggestedName: `${what.replace(/[^\w.-]+/g, "_")}.ckpt.index`,
  });
  if (path === undefined) return;
  const graphId = await inSession(session, currentGraph);
  const saved = await followed(`Saving ${variablesText(names)}`, (jobId) =>
    client().call("variables.save", { graphId, names: [...names], path, jobId }),
  );
  if (!saved) return;
  const { prefix, skipped, byteLength } = saved;
  const without = skipped.length === 0 ? "" : ` ${countText(skipped.length, "variable")} had no value.`;
  say(`Saved ${countText(saved.saved, "variable")} (${bytesText(byteLength)}) to ${prefix}.${without}`);
}

/** Restores variables from a checkpoint on the application's machine; asks for its path, and before it replaces values. */
export async function restoreVariables(names: readonly string[]): Promise<void> {
  const session = activeSession();
  const path = await pickFile({
    mode: "open",
    title: `Restore ${names.length === 1 ? names[0] : "the variables"} from a checkpoint`,
    // Of TensorFlow, or the weights that Keras saved.
    extensions: ["index", "h5", "hdf5", "keras"],
  });
  if (path === undefined) return;
  const { states } = useVariables.of(session).getState();
  const live = names.filter((name) => states.get(name)?.initialized);
  if (live.length > 0) {
    const choice = await confirm({
      title: "Replace the values?",
      text: `${live.length === 1 ? `${live[0]} has a value` : `${countText(live.length, "variable")} have values`} that the checkpoint replaces. Save first what should be kept.`,
      choices: [{ id: "replace", label: "Restore", style: "danger" }],
    });
    if (choice !== "replace") return;
  }
  const graphId = await inSession(session, currentGraph);
  const answer = await followed(`Restoring ${variablesText(names)}`, (jobId) =>
    client().call("variables.restore", { graphId, names: [...names], path, jobId }),
  );
  await inSession(session, inspectVariables);
  if (!answer) return;
  const { restored, missing, unused } = answer;
  const left = [
    ...(missing.length > 0 ? [`The checkpoint does not have ${someText(missing)}.`] : []),
    ...(unused.length > 0
      ? [`No variables suit its ${unused.length === 1 ? "layer" : "layers"} ${someText(unused)}.`]
      : []),
  ];
  say([`Restored ${countText(restored, "variable")}.`, ...left].join(" "));
}

function someText(names: readonly string[]): string {
  return names.length <= 3
    ? listText(names)
    : `${listText(names.slice(0, 2))} and ${names.length - 2} others`;
}

function variablesText(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? "") : countText(names.length, "variable");
}

function say(message: string): void {
  showNotice({ kind: "info", key: CHECKPOINT_NOTICE, problem: { code: "OK", message } });
}

/** Shows the progress of work that can be cancelled; undefined if it was. */
async function followed<T>(what: string, work: (jobId: string) => Promise<T>): Promise<T | undefined> {
  const jobId = `variables-${Date.now()}-${jobs++}`;
  const tell = (share: number) =>
    showNotice({
      kind: "info",
      key: CHECKPOINT_NOTICE,
      problem: { code: "OK", message: `${what}…${share > 0 ? ` ${Math.floor(share * 100)} %` : ""}` },
      action: { label: "Cancel", run: () => client().call("tensors.cancel", { jobId }) },
    });
  tell(0);
  const unlisten = client().on("tensorJobs", (all) => {
    const job = all.find((one) => one.jobId === jobId);
    if (job) tell(job.done);
  });
  try {
    return await work(jobId);
  } catch (error) {
    dismissNoticeByKey(CHECKPOINT_NOTICE);
    if (error instanceof ProblemError && error.problem.code === "CANCELLED") return undefined;
    throw error;
  } finally {
    unlisten();
  }
}
