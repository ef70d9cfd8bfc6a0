/** A graph that the application saves on a disk that is too small for it. */
import assert from "node:assert/strict";
import { toProblem } from "../../main/api/wire.js";
import type { TestWindow } from "../main/support/window.js";

const SMALL_BYTES = 1000;
const LARGE_BYTES = 2 ** 21;

/**
 * Saves a graph, which works, then a larger one in its place, which is refused in words and leaves the first as it was.
 *
 * @param path of a file on a disk with room for some KiB, not for 2 MiB
 */
export async function saveOnFullDisk(window: TestWindow, path: string): Promise<void> {
  const { sourceId } = await saveGraph(window, path, SMALL_BYTES);
  const before = await window.call("documents.open", { path });
  await assert.rejects(saveGraph(window, path, LARGE_BYTES, sourceId), (error) => {
    const { code, message, reason } = toProblem(error);
    assert.equal(code, "RESOURCE_EXHAUSTED");
    assert.match(message, /model\.pbtxt could not be written; the existing file is unchanged/);
    assert.equal(reason, "The disk is full.");
    return true;
  });
  const after = await window.call("documents.open", { path });
  assert.deepEqual(after.metaGraph, before.metaGraph);
  await saveGraph(window, path, 2 * SMALL_BYTES, sourceId);
}

/** Saves a graph whose only node has a constant of so many bytes. */
export async function saveGraph(window: TestWindow, path: string, bytes: number, sourceId?: string) {
  const name = "model.pbtxt";
  const read = await window.call("documents.read", { name, bytes: Buffer.from(graphOf(bytes)) });
  const { kind, format, metaGraph } = read;
  return await window.call("documents.save", {
    ...{ path, kind, format, metaGraph, overwrite: false },
    ...(sourceId === undefined ? {} : { sourceId }),
  });
}

function graphOf(bytes: number): string {
  const tensor = `tensor { dtype: DT_STRING tensor_shape { } string_val: "${"x".repeat(bytes)}" }`;
  const dtype = 'attr { key: "dtype" value { type: DT_STRING } }';
  return `node { name: "c" op: "Const" ${dtype} attr { key: "value" value { ${tensor} } } }`;
}
