import { expect, it } from "vitest";
import { type DocumentFile, PART_BYTES } from "../../../main/api/documents.js";
import { ProblemError } from "../../../main/api/wire.js";
import { DocumentParts } from "../../../main/documents/document-parts.js";

function fileOf(sizeBytes: number): DocumentFile {
  const metaGraph = new Uint8Array(sizeBytes);
  // Every part differs from the others.
  for (let at = 0; at < sizeBytes; at += PART_BYTES) metaGraph[at] = 1 + at / PART_BYTES;
  return { name: "g", kind: "graph", format: "binary", metaGraph };
}

it("a small document is sent whole, a large one part by part until it is released", () => {
  const parts = new DocumentParts();
  const small = fileOf(PART_BYTES);
  expect(parts.begin(small)).toBe(small);
  const large = fileOf(2 * PART_BYTES + 5);
  const { metaGraph, more } = parts.begin(large);
  const id = more?.id ?? "";
  expect(more?.sizeBytes).toBe(large.metaGraph.length);
  const sent = [metaGraph, parts.part(id, PART_BYTES), parts.part(id, 2 * PART_BYTES)];
  expect(Buffer.compare(Buffer.concat(sent), large.metaGraph)).toBe(0);
  // None of them is a view, which would take the whole along to another process.
  for (const part of sent) expect(part.buffer.byteLength).toBe(part.length);
  parts.release(id);
  expect(() => parts.part(id, 0)).toThrow(ProblemError);
});

it("what windows never fetched is given up when other documents are opened", () => {
  const parts = new DocumentParts();
  const ids = Array.from({ length: 6 }, () => parts.begin(fileOf(PART_BYTES + 1)).more?.id ?? "");
  expect(() => parts.part(ids[0] ?? "", 0)).toThrow("no longer here");
  expect(parts.part(ids.at(-1) ?? "", PART_BYTES).length).toBe(1);
});
