/** Exports the open document with the values of its variables as a model for other programs. */
import type { ModelFormat } from "../../main/api/models.js";
import { ProblemError } from "../../main/api/wire.js";
import type { ModelTensors } from "../../worker-runtime/graph/model-export/model-tensors.js";
import { showNotice } from "../stores/app-store.js";
import { activeSession } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { confirm } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { bytesText } from "../ui/format.js";
import { baseNameOf, pickFile } from "./file-actions.js";
import { followJob } from "./follow-job.js";

const words = texts.actions.modelActions;

const NOTICE = "model";

export interface ModelExport extends ModelTensors {
  readonly format: ModelFormat;
  /** The checkpoint whose values it has; undefined: those that the tasks hold. */
  readonly checkpoint: string | undefined;
}

/** Asks where to write the model, and before it replaces another; then writes it. */
export async function exportModel({ format, inputs, outputs, checkpoint }: ModelExport): Promise<void> {
  const session = activeSession();
  const graph = documentActions.toRunGraph();
  const { name, metaGraph } = useDocument.getState().document;
  const { restoreOpName } = metaGraph.saverDef ?? {};
  const base = baseNameOf(name).replace(/[^\w.-]+/g, "_");
  const isFolder = format === "saved_model";
  const path = await pickFile({
    mode: "save",
    title: words.title[format],
    extensions: isFolder ? [] : ["pb"],
    suggestedName: isFolder ? `${base}_model` : `${base}_frozen.pb`,
  });
  if (path === undefined) return;
  const write = (overwrite: boolean) =>
    followJob(
      session,
      NOTICE,
      (percent) => (percent === undefined ? words.exporting : words.exportingSoFar({ percent })),
      (jobId) =>
        client().call("models.export", {
          ...{ graph, format, inputs: { ...inputs }, outputs: { ...outputs }, path, overwrite, jobId },
          ...(checkpoint === undefined ? {} : { checkpoint }),
          ...(restoreOpName ? { restoreOp: restoreOpName } : {}),
        }),
    );
  // For a file, the dialog has asked.
  const written = await write(!isFolder).catch(async (error: unknown) => {
    if (!(error instanceof ProblemError) || error.problem.code !== "ALREADY_EXISTS") throw error;
    const choice = await confirm({
      title: words.replace.title,
      text: words.replace.text({ path }),
      choices: [{ id: "replace", label: words.replace.replace, style: "danger" }],
    });
    return choice === "replace" ? write(true) : undefined;
  });
  if (!written) return;
  const message = words.exported({
    ...{ path: written.path, count: written.variables, bytes: bytesText(written.byteLength) },
  });
  showNotice({ kind: "info", key: NOTICE, session, problem: { code: "OK", message } });
}
