/** Opens an example and runs it. */
import type { Example } from "../../main/api/documents.js";
import { labelsInGraph } from "../document/class-labels.js";
import { activeSession, inSession } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { exampleMachines } from "../stores/example-store.js";
import { modesOf, tensorViewActions } from "../stores/tensor-tabs.js";
import { uiActions } from "../stores/ui-store.js";
import { changeMembership } from "./cluster-actions.js";
import { currentTasks, missingTasks, needsFixedCluster, startMissing } from "./graph-tasks.js";
import { endOfRun, initialise } from "./initialise-actions.js";
import { openExample } from "./open-actions.js";
import { sendRun, wantsTrace, wholeRun } from "./run-actions.js";
import { fetchedTensor } from "./tensor-actions.js";

/**
 * Opens an example, starts the tasks that it needs on the machines that are chosen in the gallery, initializes its variables,
 * runs it for as many steps as it says, and shows its result: the classes of scores, other tensors as values, a number among
 * the results.
 */
export async function runExample(example: Example): Promise<void> {
  uiActions.close();
  const session = await openExample(example);
  if (session === undefined) return;
  // Another tab may be shown before it is done.
  const { nodes } = useDocument.of(session).getState().document;
  if (needsFixedCluster(nodes) && !(await changeMembership("fixed"))) return;
  const missing = missingTasks(nodes, currentTasks());
  if (missing.names.length > 0 && !(await startMissing(missing, exampleMachines()))) return;
  const { targets } = inSession(session, () => documentActions.initialisation());
  if (targets.length > 0 && !(await inSession(session, () => initialise(targets)))) return;
  const { steps } = useDocument.of(session).getState().document.runConfig;
  const runId = await inSession(session, () => sendRun(wholeRun({ steps, trace: wantsTrace() })));
  // The curves grow while it runs.
  if (runId !== undefined && steps > 1 && activeSession() === session) uiActions.showDock("results");
  if (runId === undefined || (await endOfRun(runId))?.state !== "done") return;
  if (activeSession() === session) inSession(session, () => showResult(example));
}

function showResult({ result }: Example): void {
  const tensor = result === undefined ? undefined : fetchedTensor(result);
  if (tensor === undefined || tensor.shape.length === 0) {
    uiActions.showDock("results");
    return;
  }
  const classes = labelsInGraph(useDocument.getState().document.nodes, tensor.shape.at(-1) ?? 0);
  if (classes.length > 0 && modesOf(tensor).includes("classes")) tensorViewActions.setMode(tensor, "classes");
  uiActions.openTensor(tensor.name);
}
