/** Copying and saving parts of tensors. */
import { MAX_CELLS, type TensorAddress } from "../../main/api/tensors.js";
import { ProblemError } from "../../main/api/wire.js";
import { gridOf, selectionShape } from "../../worker-runtime/protocol/selection.js";
import { showNotice } from "../stores/app-store.js";
import { activeSession, inSession } from "../stores/document-session.js";
import { useDocumentRun } from "../stores/run-store.js";
import { type TensorKind, type TensorView, useTensorTabs, viewOf } from "../stores/tensor-tabs.js";
import { uiActions } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { bytesText } from "../ui/format.js";
import { copyText } from "./copy-text.js";
import { pickFile } from "./file-actions.js";
import { followJob } from "./follow-job.js";

const words = texts.actions.tensorActions;

/** A tensor that the application keeps. */
export interface KeptTensor extends TensorKind {
  readonly address: TensorAddress;
}

/** The newest value of a tensor or an opened variable of the document, or one of a kept run; undefined if the newest run did not fetch it. */
export function fetchedTensor(name: string): KeptTensor | undefined {
  const ofRun = useTensorTabs.getState().ofRuns.get(name);
  if (ofRun !== undefined) {
    const { runId, kept } = ofRun;
    return { address: { runId, name: kept.name }, name, dtype: kept.dtype, shape: kept.shape };
  }
  const variable = useVariables.getState().kept.get(name);
  if (variable !== undefined) return { ...variable, name };
  const { latest } = useDocumentRun.getState();
  const tensor = latest?.fetches.find((fetched) => fetched.name === name);
  if (latest === undefined || tensor === undefined) return undefined;
  const { dtype, shape } = tensor;
  return { address: { runId: latest.runId, name }, name, dtype, shape };
}

/**
 * Opens the whole of a tensor that a kept run fetched, in a tab of its own.
 *
 * @param runName "run 3"
 * @throws ProblemError NOT_FOUND or RESOURCE_EXHAUSTED when it is no longer kept
 */
export async function openTensorOfRun(runId: string, runName: string, name: string): Promise<void> {
  const session = activeSession();
  const kept = await client().call("tensors.describe", { runId, name });
  inSession(session, () => {
    const tab = words.ofRun({ tensor: name, run: runName });
    useTensorTabs.setState(({ ofRuns }) => ({ ofRuns: new Map(ofRuns).set(tab, { runId, kept }) }));
    uiActions.openTensor(tab);
  });
}

export type CopyForm = "tsv" | "python";

const SAVE_NOTICE = "tensor-save";

/** Copies the part of a tensor that its tab shows. */
export async function copyTensor(tensor: KeptTensor, form: CopyForm): Promise<void> {
  const view = viewOf(useTensorTabs.getState(), tensor);
  // A list of lists: rows of the last kept dimension.
  const columnAxis = form === "python" ? undefined : view.columnAxis;
  const { rows, columns } = gridOf(tensor.shape, view.selection, columnAxis);
  if (rows * columns > MAX_CELLS) {
    throw new ProblemError({
      code: "OUT_OF_RANGE",
      message: words.tooManyElements({ count: rows * columns }),
      remedy: words.chooseSlice({ count: MAX_CELLS }),
    });
  }
  const { values } = await client().call("tensors.cells", {
    tensor: tensor.address,
    selection: [...view.selection],
    ...(columnAxis === undefined ? {} : { columnAxis }),
    rows: { from: 0, count: Math.max(1, rows) },
    columns: { from: 0, count: Math.max(1, columns) },
  });
  await copyText(form === "python" ? pythonText(values, tensor, view) : tsvText(values, columns));
}

/** Lines of cells with tabs between them, which a spreadsheet takes apart again. */
function tsvText(values: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (let at = 0; at < values.length; at += columns) {
    lines.push(
      values
        .slice(at, at + columns)
        .map((value) => value.replace(/[\t\r\n]/g, " "))
        .join("\t"),
    );
  }
  return lines.join("\n");
}

/** Constants of NumPy that its arrays are printed with, but that are no names of Python. */
const PYTHON_WORDS: Readonly<Record<string, string>> = {
  nan: "np.nan",
  inf: "np.inf",
  "-inf": "-np.inf",
  true: "True",
  false: "False",
};

/** An expression that Python evaluates to the same array, with `import numpy as np`. */
export function pythonText(
  values: readonly string[],
  { dtype }: Pick<TensorKind, "dtype">,
  { selection }: Pick<TensorView, "selection">,
): string {
  let next = 0;
  const element = () => {
    const value = values[next++] ?? "0";
    if (dtype === "string") return JSON.stringify(value);
    if (dtype.startsWith("complex")) return `complex("${value}")`;
    return PYTHON_WORDS[value] ?? value;
  };
  const level = ([size, ...inner]: readonly number[]): string =>
    size === undefined ? element() : `[${Array.from({ length: size }, () => level(inner)).join(", ")}]`;
  const numpyType = dtype === "string" ? "object" : dtype === "bool" ? "bool" : `np.${dtype}`;
  return `np.array(${level(selectionShape(selection))}, dtype=${numpyType})`;
}

/** Saves the part of a tensor that its tab shows into a file of the application's machine; asks for its path. */
export async function saveTensor(tensor: KeptTensor, format: "npy" | "csv"): Promise<void> {
  const session = activeSession();
  const path = await pickFile({
    mode: "save",
    title: words.save({ tensor: tensor.name }),
    extensions: [format],
    suggestedName: `${tensor.name.replace(/:0$/, "").replace(/[^\w.-]+/g, "_")}.${format}`,
  });
  if (path === undefined) return;
  const { selection, columnAxis } = viewOf(useTensorTabs.of(session).getState(), tensor);
  const message = () => words.saving({ tensor: tensor.name });
  const saved = await followJob(session, SAVE_NOTICE, message, (jobId) =>
    client().call("tensors.save", {
      tensor: tensor.address,
      selection: [...selection],
      columnAxis,
      format,
      path,
      jobId,
    }),
  );
  if (!saved) return;
  showNotice({
    kind: "info",
    key: SAVE_NOTICE,
    session,
    problem: { code: "OK", message: words.saved({ bytes: bytesText(saved.byteLength), path: saved.path }) },
  });
}
