/** The end of the tour in words: what came out, and who computed it. */
import { TOUR_NODES } from "../actions/tour-actions.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { parseTensorName, tensorName } from "../document/tensor-names.js";
import { useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { listText } from "../ui/format.js";
import { fetchOf, microsText, nodeRunOf, previewText, shortDevice } from "../viewport/node-text.js";

const NEXT =
  "Drag ops from the Ops tab to draw a graph of your own, open an example, or add other machines to the cluster.";

/** @returns "z is 11.0", and the sentences below it */
export function tourResult(): { readonly title: string; readonly text: string } {
  const { result } = TOUR_NODES;
  const { latest } = useDocumentRun.getState();
  const value = fetchOf(latest?.fetches, tensorName(result, 0));
  const title = value === undefined ? "That is all" : `${result} is ${previewText(value)}`;
  const ran = nodeRunOf(latest?.nodes, result);
  if (ran === undefined) return { title, text: NEXT };
  const inputs = useDocument.getState().document.nodes.get(result)?.input ?? [];
  const sources = inputs.map((input) => {
    const { node } = parseTensorName(input);
    const task = taskNameOfDevice(nodeRunOf(latest?.nodes, node)?.device ?? "");
    return task === undefined ? node : `${node} of ${task}`;
  });
  const task = taskNameOfDevice(ran.device) ?? ran.device;
  const where = `${task} computed it on ${shortDevice(ran.device)} in ${microsText(ran.durationMicros)}, from ${listText(sources)}.`;
  return { title, text: `${where} ${NEXT}` };
}
