import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createDocuments } from "../../../main/documents/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { SavedModel } from "../../../protos/generated/tensorflow/saved_model.js";

const none = { list: () => [], open: () => Promise.reject(new Error("no example")) };

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

it("keeps the rest of a SavedModel from the browser with its draft, which every later restart saves whole", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tensordeck-documents-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const nextLife = () =>
    createDocuments({
      draftsFolder: join(folder, "drafts"),
      examples: none,
      recent: { addRecentDocument: async () => undefined },
      host: {},
    });
  const metaGraph = (tag: string, name: string) =>
    MetaGraphDef.fromPartial({
      metaInfoDef: { tags: [tag] },
      graphDef: { node: [{ name, op: "NoOp" }] },
    });
  const bytes = SavedModel.encode(
    SavedModel.fromPartial({
      savedModelSchemaVersion: 1n,
      metaGraphs: [metaGraph("train", "t"), metaGraph("serve", "s")],
    }),
  ).finish();
  const edited = {
    removed: [],
    changed: new Uint8Array(0),
    rest: MetaGraphDef.encode(metaGraph("serve", "")).finish(),
  };
  const change = {
    ...edited,
    added: [
      {
        after: "",
        nodes: GraphDef.encode(GraphDef.fromPartial({ node: [{ name: "e", op: "NoOp" }] })).finish(),
      },
    ],
  };
  const draftId = crypto.randomUUID();
  let room = nextLife();
  let document = await room.handlers["documents.read"]({ name: "model.pb", bytes }, THIS_PROGRAM);
  for (let life = 0; life < 2; life++) {
    const { name, kind, format, sourceId = "" } = document;
    await room.handlers["documents.keepDraft"](
      { draftId, document: { name, kind, format, sourceId }, change },
      THIS_PROGRAM,
    );
    room = nextLife();
    document = await room.handlers["documents.restoreDraft"]({ draftId }, THIS_PROGRAM);
    expect(document).toMatchObject({ name: "model.pb", kind: "saved_model" });
    expect(document).not.toHaveProperty("hasOriginal");
  }
  const path = join(folder, "saved_model.pb");
  await room.handlers["documents.save"]({ ...document, path, overwrite: false }, THIS_PROGRAM);
  const { metaGraphs } = SavedModel.decode(await readFile(path));
  expect(metaGraphs.map(({ metaInfoDef }) => metaInfoDef?.tags)).toEqual([["train"], ["serve"]]);
  expect(metaGraphs.map(({ graphDef }) => graphDef?.node.map(({ name }) => name))).toEqual([["t"], ["e"]]);
  await room.dispose();
});
