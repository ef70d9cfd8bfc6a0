import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createDocuments } from "../../../main/documents/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";

const none = { list: () => [], open: () => Promise.reject(new Error("no example")) as never };

it("remembers what was opened, and knows its folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tensordeck-documents-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "graph.pbtxt");
  await writeFile(path, 'node { name: "a" op: "NoOp" }');
  const used: string[] = [];
  const room = createDocuments({
    draftsFolder: join(folder, "drafts"),
    examples: none,
    recent: { addRecentDocument: async (file) => void used.push(file) },
    host: {},
  });
  const { sourceId = "" } = await room.handlers["documents.open"]({ path }, THIS_PROGRAM);
  expect(used).toEqual([path]);
  expect(room.folderOf(sourceId)).toBe(folder);
  expect(await room.handlers["files.list"]({ path: folder, extensions: [] }, THIS_PROGRAM)).toMatchObject({
    entries: [{ name: "graph.pbtxt" }],
  });
  await room.dispose();
});

it("asks the host's file dialog, where it has one", async () => {
  const request = { mode: "open" as const, title: "", extensions: [] };
  const recent = { addRecentDocument: async () => {} };
  const draftsFolder = join(tmpdir(), "tensordeck-no-drafts");
  const desktop = createDocuments({
    draftsFolder,
    examples: none,
    recent,
    host: { pickFile: async () => "/picked" },
  });
  expect(await desktop.handlers["files.pick"](request, THIS_PROGRAM)).toBe("/picked");
  const headless = createDocuments({ draftsFolder, examples: none, recent, host: {} });
  expect(() => headless.handlers["files.pick"](request, THIS_PROGRAM)).toThrow("not available here");
});
