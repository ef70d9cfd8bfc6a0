/** Answers the windows' requests for parts of kept tensors. */
import { setImmediate } from "node:timers/promises";
import { writeFileAtomically } from "../../../worker-runtime/io/atomic-write.js";
import {
  checkSelection,
  gridOf,
  keptAxes,
  type Selection,
  selectionShape,
} from "../../../worker-runtime/protocol/selection.js";
import type { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import type { Params, Result } from "../../api/contract.js";
import { MAX_CELLS, type TensorAddress, type tensorMethods } from "../../api/tensors.js";
import type { HandlersOf } from "../../shared/handlers.js";
import { fileProblem, problem } from "../../shared/problems.js";
import { shortened } from "../previews.js";
import { numberGrid } from "./elements.js";
import type { Jobs, Progressing } from "./jobs.js";
import { heatMapOf, imageOf, linesOf, topOf } from "./pictures.js";
import { statisticsOf } from "./statistics.js";
import { csvChunks, npyChunks } from "./tensor-file.js";
import type { TensorStore } from "./tensor-store.js";

export class TensorService {
  readonly #store: TensorStore;
  readonly #jobs: Jobs;

  constructor(store: TensorStore, jobs: Jobs) {
    this.#store = store;
    this.#jobs = jobs;
  }

  readonly handlers: HandlersOf<typeof tensorMethods> = {
    "tensors.describe": (address) => this.#store.describe(address),
    "tensors.cells": (request) => this.#cells(request),
    "tensors.statistics": ({ tensor, selection, bins, jobId }, { gone }) =>
      this.#compute(tensor, jobId, gone, (found) => statisticsOf(numberGrid(found, selection), bins)),
    "tensors.heatMap": ({ tensor, selection, columnAxis, jobId, ...most }, { gone }) =>
      this.#compute(tensor, jobId, gone, (found) =>
        heatMapOf(numberGrid(found, selection, columnAxis), most),
      ),
    "tensors.image": ({ tensor, selection, range, jobId }, { gone }) =>
      this.#compute(tensor, jobId, gone, (found) => imageWork(found, selection, range)),
    "tensors.lines": ({ tensor, selection, columnAxis, points, jobId }, { gone }) =>
      this.#compute(tensor, jobId, gone, (found) =>
        linesOf(numberGrid(found, selection, columnAxis), points),
      ),
    "tensors.top": ({ tensor, selection, columnAxis, row, count, jobId }, { gone }) =>
      this.#compute(tensor, jobId, gone, (found) =>
        topOf(numberGrid(found, selection, columnAxis), row, count, (index) => found.elementText(index)),
      ),
    "tensors.save": (request, { gone }) => this.#save(request, gone),
    "tensors.cancel": ({ jobId }) => this.#jobs.cancel(jobId),
  };

  async #compute<T extends object>(
    address: TensorAddress,
    jobId: string,
    gone: AbortSignal,
    work: (tensor: Tensor) => Progressing<T>,
  ): Promise<T & { step: number }> {
    // Work on what is here begins before the request to cancel it can arrive.
    const found = this.#store.find(address);
    const { tensor, step } = found instanceof Promise ? await found : found;
    return { ...(await this.#jobs.run(jobId, gone, () => work(tensor))), step };
  }

  async #cells(request: Params<"tensors.cells">): Promise<Result<"tensors.cells">> {
    const { tensor, step } = await this.#store.find(request.tensor);
    const grid = gridOf(tensor.shape, request.selection, request.columnAxis);
    const { from: firstRow } = request.rows;
    const { from: firstColumn } = request.columns;
    const rows = Math.max(0, Math.min(request.rows.count, grid.rows - firstRow));
    const columns = Math.max(0, Math.min(request.columns.count, grid.columns - firstColumn));
    if (rows * columns > MAX_CELLS) {
      throw problem("OUT_OF_RANGE", `${rows * columns} cells were requested at once.`, {
        remedy: `Request at most ${MAX_CELLS}.`,
      });
    }
    const values: string[] = [];
    for (let row = firstRow; row < firstRow + rows; row += 1) {
      const offset = grid.offsetOfRow(row);
      for (let column = firstColumn; column < firstColumn + columns; column += 1) {
        values.push(shortened(tensor.elementText(offset + column * grid.columnStride)));
      }
    }
    return { values, rows, columns, step };
  }

  async #save(request: Params<"tensors.save">, gone: AbortSignal): Promise<Result<"tensors.save">> {
    const { tensor: address, selection, columnAxis, format, path, jobId } = request;
    const found = this.#store.find(address);
    const { tensor } = found instanceof Promise ? await found : found;
    checkSelection(selection, tensor.shape);
    const chunks = format === "npy" ? npyChunks(tensor, selection) : csvChunks(tensor, selection, columnAxis);
    let byteLength = 0;
    await this.#jobs.runAsync(jobId, gone, async (signal, onProgress) => {
      const content = async function* () {
        for (const { content, done } of chunks) {
          await setImmediate();
          signal.throwIfAborted();
          const bytes = typeof content === "string" ? Buffer.from(content) : content;
          byteLength += bytes.length;
          onProgress(done);
          yield bytes;
        }
      };
      await writeFileAtomically(path, content()).catch((error: unknown) => {
        throw signal.aborted ? error : fileError(path, error);
      });
    });
    return { path, byteLength };
  }
}

/** Errors of the system as problems of the file; those of the tensor as they are. */
function fileError(path: string, error: unknown): unknown {
  const isOfSystem = error instanceof Error && "errno" in error;
  return isOfSystem ? fileProblem(`${path} could not be written; nothing was changed`, error) : error;
}

/** @throws ProblemError INVALID_ARGUMENT if the part is not height and width, or height, width and channels. */
function imageWork(
  tensor: Tensor,
  selection: Selection,
  range: { readonly low: number; readonly high: number } | undefined,
): ReturnType<typeof imageOf> {
  const shape = selectionShape(selection);
  const kept = keptAxes(selection);
  const channels = shape[2] ?? 1;
  const last = tensor.shape.length - 1;
  const isInterleaved = shape.length === 2 || (kept[2] === last && channels === tensor.shape[last]);
  if (shape.length < 2 || shape.length > 3 || ![1, 3, 4].includes(channels) || !isInterleaved) {
    throw problem("INVALID_ARGUMENT", "This part of the tensor is not an image.", {
      reason: `Its shape is [${shape.join(", ")}]; an image is height and width, or these and all 1, 3 or 4 channels last.`,
    });
  }
  const plane = shape.length === 3 ? selection.with(last, 0) : selection;
  const bytes = tensor.dtype === "uint8" ? { low: 0, high: 255 } : undefined;
  return imageOf(numberGrid(tensor, plane, kept[1]), channels, range ?? bytes);
}
