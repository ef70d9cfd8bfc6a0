/** Changes the variables that the tasks hold for the open document. */
import type { SavedCheckpoint } from "../../main/api/checkpoints.js";
import type { FeedValue } from "../../main/api/feeds.js";
import { ProblemError } from "../../main/api/wire.js";
import { initialisersOf } from "../document/initialisers.js";
import { variablesOf } from "../document/variables.js";
import { type NoticeAction, showNotice } from "../stores/app-store.js";
import { activeSession, type DocumentSession, inSession } from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { confirm } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { bytesText, listText } from "../ui/format.js";
import { noteNewValues, valuesCarriedUnlessRunning } from "./carried-values.js";
import { baseNameOf, pickFile } from "./file-actions.js";
import { followJob } from "./follow-job.js";
import { initialise } from "./initialise-actions.js";
import { bringBack, type KeptValues, setAside, VALUES_NOTICE } from "./kept-values.js";
import { currentGraph, inspectVariables, readLive } from "./variable-reading.js";

const words = texts.actions.variableActions;

/** Assigns a value. @throws ProblemError if it is not of the variable's dtype and shape, or the task is gone */
export async function assignVariable(name: string, value: FeedValue): Promise<void> {
  const session = activeSession();
  await valuesCarriedUnlessRunning();
  const graphId = await inSession(session, currentGraph);
  inSession(session, noteNewValues);
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

/**
 * Gives variables the values of their initializers. Asks before it replaces values, and keeps those, so that they can be
 * brought back.
 */
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
  const wanted = names.filter((name) => !missing.includes(name));
  await valuesCarriedUnlessRunning();
  const kept = await inSession(session, () => keepBeforeReset(wanted));
  if (kept === "stay") return;
  const initialised = await inSession(session, () => initialise(targets));
  const bringingBack = kept && actionOfKept(session, kept);
  if (!initialised) {
    if (bringingBack) say(session, [words.notInitialized], bringingBack);
    return;
  }
  if (missing.length > 0) {
    const count = missing.length;
    const variables = count <= 3 ? listText(missing) : words.variables({ count });
    say(session, [words.someInitialized({ variables })], bringingBack);
  } else if (bringingBack) {
    say(session, [words.initialized({ count: wanted.length })], bringingBack);
  }
  await inSession(session, inspectVariables);
}

/**
 * Keeps the values that an initialization would replace, if the user agrees to that.
 *
 * @returns undefined if there are none; "stay" if nothing shall be initialized
 */
async function keepBeforeReset(names: readonly string[]): Promise<KeptValues | "stay" | undefined> {
  const session = activeSession();
  const { graphId, live } = await readLive(names);
  if (graphId === undefined) {
    // Before the first run there is nothing that could be lost.
    if (useDocumentRun.of(session).getState().latest === undefined) return undefined;
    const reason = useVariables.of(session).getState().problem?.message ?? "";
    return (await mayInitialise(words.reset.unknown({ reason }))) ? undefined : "stay";
  }
  if (live.length === 0) return undefined;
  const question = words.reset.text({ variables: variablesText(live), count: live.length });
  return (await mayInitialise(question)) ? ((await setAside(session, graphId, live)) ?? "stay") : "stay";
}

async function mayInitialise(text: string): Promise<boolean> {
  const choice = await confirm({
    title: words.replace.title,
    text,
    choices: [{ id: "initialise", label: words.reset.initialise, style: "danger" }],
  });
  return choice === "initialise";
}

/** Undoes an initialization. */
function actionOfKept(session: DocumentSession, kept: KeptValues): NoticeAction {
  return {
    label: words.bringBack,
    run: async () => {
      const graphId = await inSession(session, currentGraph);
      if (!(await bringBack(session, graphId, kept))) return;
      say(session, [words.broughtBack({ count: kept.names.length })]);
      await inSession(session, inspectVariables);
    },
  };
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
  await inSession(session, valuesCarriedUnlessRunning);
  const graphId = await inSession(session, currentGraph);
  const variables = variablesText(names);
  const message = (percent?: number) =>
    percent === undefined ? words.saving({ variables }) : words.savingSoFar({ variables, percent });
  const saved = await followJob(session, VALUES_NOTICE, message, (jobId) =>
    client().call("variables.save", { graphId, names: [...names], path, jobId }),
  );
  if (!saved) return;
  const { prefix, skipped, byteLength } = saved;
  say(session, [
    words.saved({ count: saved.saved, bytes: bytesText(byteLength), path: prefix }),
    ...(skipped.length === 0 ? [] : [words.skipped({ count: skipped.length })]),
  ]);
}

/** Restores variables from a checkpoint on the application's machine; asks for its path, and before it replaces values. */
export async function restoreVariables(names: readonly string[]): Promise<void> {
  const session = activeSession();
  const path = await pickFile({
    mode: "open",
    title: names.length === 1 ? words.restore({ variable: names[0] ?? "" }) : words.restoreMany,
    // Checkpoints of TensorFlow, or weights that Keras saved.
    extensions: ["index", "h5", "hdf5", "keras"],
  });
  if (path !== undefined) await inSession(session, () => restoreFrom(path, names));
}

/** Gives the open document's variables the values of a checkpoint that a run saved; asks before it replaces any. */
export async function restoreCheckpoint({ prefix }: SavedCheckpoint): Promise<void> {
  const names = variablesOf(useDocument.getState().document.nodes).map(({ name }) => name);
  await restoreFrom(prefix, names);
}

async function restoreFrom(path: string, names: readonly string[]): Promise<void> {
  const session = activeSession();
  await valuesCarriedUnlessRunning();
  // The values that the tasks hold now decide whether to ask, not those that were read last.
  const { live } = await inSession(session, () => readLive(names));
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
  inSession(session, noteNewValues);
  const { restoreOpName } = useDocument.of(session).getState().document.metaGraph.saverDef ?? {};
  const variables = variablesText(names);
  const message = (percent?: number) =>
    percent === undefined ? words.restoring({ variables }) : words.restoringSoFar({ variables, percent });
  const answer = await followJob(session, VALUES_NOTICE, message, (jobId) =>
    client().call("variables.restore", {
      ...{ graphId, names: [...names], path, jobId },
      ...(restoreOpName ? { restoreOp: restoreOpName } : {}),
    }),
  );
  await inSession(session, inspectVariables);
  if (!answer) return;
  const { restored, missing, unused } = answer;
  say(session, [
    words.restored({ count: restored }),
    ...(missing.length > 0 ? [words.missing({ names: someText(missing) })] : []),
    ...(unused.length > 0 ? [words.unused({ count: unused.length, names: someText(unused) })] : []),
  ]);
}

function someText(names: readonly string[]): string {
  return names.length <= 3
    ? listText(names)
    : words.namesAndOthers({ names: names.slice(0, 2).join(", "), count: names.length - 2 });
}

function variablesText(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? "") : words.variables({ count: names.length });
}

function say(session: DocumentSession, sentences: readonly string[], action?: NoticeAction): void {
  const problem = { code: "OK", message: sentences.join(" ") };
  showNotice({ kind: "info", key: VALUES_NOTICE, session, problem, ...(action && { action }) });
}
