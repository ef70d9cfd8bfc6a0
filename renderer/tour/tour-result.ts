/** The end of the tour in words: what came out, and who computed it. */
import { TOUR_NODES } from "../actions/tour-actions.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { parseTensorName, tensorName } from "../document/tensor-names.js";
import { useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { listText } from "../ui/format.js";
import { fetchOf, microsText, nodeRunOf, previewText, shortDevice } from "../viewport/node-text.js";

const words = texts.tour.tourResult;

/** @returns "z is 11.0", and the sentences below it */
export function tourResult(): { readonly title: string; readonly text: string } {
  const { result } = TOUR_NODES;
  const { latest } = useDocumentRun.getState();
  const value = fetchOf(latest?.fetches, tensorName(result, 0));
  const title =
    value === undefined ? words.titleWithoutValue : words.title({ node: result, value: previewText(value) });
  const ran = nodeRunOf(latest?.nodes, result);
  if (ran === undefined) return { title, text: words.whatNext };
  const inputs = useDocument.getState().document.nodes.get(result)?.input ?? [];
  const sources = inputs.map((input) => {
    const { node } = parseTensorName(input);
    const task = taskNameOfDevice(nodeRunOf(latest?.nodes, node)?.device ?? "");
    return task === undefined ? node : words.nodeOfTask({ node, task });
  });
  const task = taskNameOfDevice(ran.device) ?? ran.device;
  const text = words.computed({
    task,
    device: shortDevice(ran.device),
    duration: microsText(ran.durationMicros),
    sources: listText(sources),
    whatNext: words.whatNext,
  });
  return { title, text };
}
