/** Reads and changes the variables that the tasks hold for the open document. */
import type { SavedCheckpoint } from "../../main/api/checkpoints.js";
import type { FeedValue } from "../../main/api/feeds.js";
import { MAX_READ_VARIABLES } from "../../main/api/variables.js";
import { ProblemError, toProblem } from "../../main/api/wire.js";
import { initialisersOf } from "../document/initialisers.js";
import { variablesOf } from "../document/variables.js";
import { showNotice } from "../stores/app-store.js";
import { activeSession, inSession, recordPerDocument } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { confirm, uiActions } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { bytesText, listText } from "../ui/format.js";
import { baseNameOf, pickFile } from "./file-actions.js";
import { followJob } from "./follow-job.js";
import { initialise } from "./initialise-actions.js";

const words = texts.actions.variableActions;

const CHECKPOINT_NOTICE = "checkpoint";

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
  throw new ProblemError(problem ?? { code: "ABORTED", message: words.graphChanged });
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
    title: words.valueOf({ variable: name }),
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
      message:
        names.length === 1
          ? words.noInitializer.message({ variable: names[0] ?? "" })
          : words.noInitializer.messageOfMany,
      reason: words.noInitializer.reason,
      remedy: words.noInitializer.remedy,
    });
  }
  if (!(await initialise(targets))) return;
  if (missing.length > 0) {
    const count = missing.length;
    const variables = count <= 3 ? listText(missing) : words.variables({ count });
    showNotice({
      kind: "info",
      key: CHECKPOINT_NOTICE,
      problem: { code: "OK", message: words.someInitialized({ variables }) },
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
    title: names.length === 1 ? words.save({ variable: what }) : words.saveMany,
    extensions: ["index"],
    suggestedName: `${what.replace(/[^\w.-]+/g, "_")}.ckpt.index`,
  });
  if (path === undefined) return;
  const graphId = await inSession(session, currentGraph);
  const variables = variablesText(names);
  const message = (percent?: number) =>
    percent === undefined ? words.saving({ variables }) : words.savingSoFar({ variables, percent });
  const saved = await followJob(CHECKPOINT_NOTICE, message, (jobId) =>
    client().call("variables.save", { graphId, names: [...names], path, jobId }),
  );
  if (!saved) return;
  const { prefix, skipped, byteLength } = saved;
  say(
    words.saved({ count: saved.saved, bytes: bytesText(byteLength), path: prefix }),
    ...(skipped.length === 0 ? [] : [words.skipped({ count: skipped.length })]),
  );
}

/** Restores variables from a checkpoint on the application's machine; asks for its path, and before it replaces values. */
export async function restoreVariables(names: readonly string[]): Promise<void> {
  const session = activeSession();
  const path = await pickFile({
    mode: "open",
    title: names.length === 1 ? words.restore({ variable: names[0] ?? "" }) : words.restoreMany,
    // Of TensorFlow, or the weights that Keras saved.
    extensions: ["index", "h5", "hdf5", "keras"],
  });
  if (path !== undefined) await inSession(session, () => restoreFrom(path, names));
}

/** Gives the open document's variables the values of a checkpoint that a run saved; asks before it replaces any. */
export async function restoreCheckpoint({ prefix }: SavedCheckpoint): Promise<void> {
  const session = activeSession();
  const names = variablesOf(useDocument.getState().document.nodes).map(({ name }) => name);
  // What the tasks hold now decides whether to ask.
  await inspectVariables();
  await inSession(session, () => restoreFrom(prefix, names));
}

async function restoreFrom(path: string, names: readonly string[]): Promise<void> {
  const session = activeSession();
  const { states } = useVariables.of(session).getState();
  const live = names.filter((name) => states.get(name)?.initialized);
  if (live.length > 0) {
    const choice = await confirm({
      title: words.replace.title,
      text:
        live.length === 1
          ? words.replace.text({ variable: live[0] ?? "" })
          : words.replace.textOfMany({ count: live.length }),
      choices: [{ id: "replace", label: words.replace.restore, style: "danger" }],
    });
    if (choice !== "replace") return;
  }
  const graphId = await inSession(session, currentGraph);
  const variables = variablesText(names);
  const message = (percent?: number) =>
    percent === undefined ? words.restoring({ variables }) : words.restoringSoFar({ variables, percent });
  const answer = await followJob(CHECKPOINT_NOTICE, message, (jobId) =>
    client().call("variables.restore", { graphId, names: [...names], path, jobId }),
  );
  await inSession(session, inspectVariables);
  if (!answer) return;
  const { restored, missing, unused } = answer;
  say(
    words.restored({ count: restored }),
    ...(missing.length > 0 ? [words.missing({ names: someText(missing) })] : []),
    ...(unused.length > 0 ? [words.unused({ count: unused.length, names: someText(unused) })] : []),
  );
}

function someText(names: readonly string[]): string {
  return names.length <= 3
    ? listText(names)
    : words.namesAndOthers({ names: names.slice(0, 2).join(", "), count: names.length - 2 });
}

function variablesText(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? "") : words.variables({ count: names.length });
}

function say(...sentences: readonly string[]): void {
  const message = sentences.join(" ");
  showNotice({ kind: "info", key: CHECKPOINT_NOTICE, problem: { code: "OK", message } });
}
