import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProblemError } from "../../../main/api/wire.js";
import { DocumentService } from "../../../main/documents/document-service.js";
import { exampleLibrary } from "../../../main/documents/examples.js";
import { Openings } from "../../../main/documents/openings.js";
import { defined } from "../../../main/shared/problems.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { SavedModel } from "../../../protos/generated/tensorflow/saved_model.js";
import { DENSE, hdf5File, kerasArchive, sequentialConfig, writeDense } from "../../support/keras-file.js";
import { problemOfCall } from "../support/problem-of-call.js";

let folder: string;
let used: string[];
let documents: DocumentService;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-documents-"));
  used = [];
  documents = new DocumentService({
    examples: exampleLibrary,
    onUsed: async (path) => {
      used.push(path);
    },
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);

function metaGraphWith(...names: string[]): MetaGraphDef {
  return MetaGraphDef.fromPartial({ graphDef: { node: names.map((name) => ({ name, op: "NoOp" })) } });
}

describe("examples", () => {
  it("open as documents without a path", async () => {
    expect(documents.examples().map(({ id }) => id)).toContain("welcome");
    const welcome = await documents.openExample("welcome");
    expect(welcome).toMatchObject({ id: "example:welcome", kind: "meta_graph", format: "text" });
    expect(welcome.path).toBeUndefined();
    expect(MetaGraphDef.decode(welcome.metaGraph).graphDef?.node.map(({ name }) => name)).toContain("z");
    await expect(documents.openExample("none")).rejects.toThrow(ProblemError);
  });
});

describe("a document", () => {
  it("is not opened for a window that has gone", async () => {
    const why = new Error("The window has gone.");
    const gone = AbortSignal.abort(why);
    await writeFile(at("g.pbtxt"), 'node { name: "a" op: "NoOp" }');
    await expect(documents.open(at("g.pbtxt"), gone)).rejects.toBe(why);
    await writeFile(at("large.pbtxt"), `node { name: "a" op: "NoOp" } ${"# a comment\n".repeat(100_000)}`);
    await expect(documents.read("large.pbtxt", await readFile(at("large.pbtxt")), gone)).rejects.toBe(why);
    expect(used).toEqual([]);
  });

  it("is not read to the end when its window cancels that", async () => {
    await writeFile(at("large.pbtxt"), `node { name: "a" op: "NoOp" } ${"# a comment\n".repeat(100_000)}`);
    const openings = new Openings();
    const { signal } = new AbortController();
    const opening = openings.follow("one", signal, (ended) => documents.open(at("large.pbtxt"), ended));
    openings.cancel("another");
    openings.cancel("one");
    await expect(opening).rejects.toMatchObject({ problem: { code: "CANCELLED" } });
    expect(used).toEqual([]);
    expect(
      await openings.follow("one", signal, (ended) => documents.open(at("large.pbtxt"), ended)),
    ).toMatchObject({ name: "large.pbtxt" });
    openings.cancel("one");
  });

  it("is saved in the kind and format that it was opened in", async () => {
    const graph = GraphDef.encode(GraphDef.fromPartial({ node: [{ name: "a", op: "NoOp" }] })).finish();
    await writeFile(at("g.pb"), graph);
    const opened = await documents.open(at("g.pb"));
    expect(opened).toMatchObject({ path: at("g.pb"), name: "g.pb", kind: "graph", format: "binary" });
    const { path: _, name: __, ...rest } = opened;
    const saved = await documents.save({ ...rest, path: at("g.pb"), overwrite: false });
    expect(saved).toMatchObject({ path: at("g.pb"), kind: "graph", format: "binary" });
    expect(new Uint8Array(await readFile(at("g.pb")))).toEqual(graph);
    expect(used).toEqual([at("g.pb"), at("g.pb")]);
  });

  it("of text stays text that can be opened again", async () => {
    const { metaGraph } = await documents.openExample("welcome");
    await documents.save({
      path: at("w.pbtxt"),
      kind: "meta_graph",
      format: "text",
      metaGraph,
      overwrite: false,
    });
    expect(await readFile(at("w.pbtxt"), "utf8")).toContain('name: "z"');
    const again = await documents.open(at("w.pbtxt"));
    expect(MetaGraphDef.decode(again.metaGraph)).toEqual(MetaGraphDef.decode(metaGraph));
  });

  it("that another program made is not replaced unless asked", async () => {
    await writeFile(at("other.pb"), "mine");
    const request = {
      path: at("other.pb"),
      kind: "graph" as const,
      format: "binary" as const,
      metaGraph: MetaGraphDef.encode(metaGraphWith("a")).finish(),
    };
    expect((await problemOfCall(documents.save({ ...request, overwrite: false }))).code).toBe(
      "ALREADY_EXISTS",
    );
    expect(await readFile(at("other.pb"), "utf8")).toBe("mine");
    await documents.save({ ...request, overwrite: true });
    // From now on it is ours.
    await documents.save({ ...request, overwrite: false });
  });

  describe("that was changed since it was opened", () => {
    const text = (...names: string[]) =>
      names.map((name) => `node { name: "${name}" op: "NoOp" }\n`).join("");
    const edited = MetaGraphDef.encode(metaGraphWith("edited")).finish();

    it.each([
      ["in place", () => writeFile(at("g.pbtxt"), text("theirs", "longer"))],
      [
        "by another file in its place, of the same size and age",
        async () => {
          const { atime, mtime } = await stat(at("g.pbtxt"));
          await writeFile(at("new"), text("b"));
          await utimes(at("new"), atime, mtime);
          await rename(at("new"), at("g.pbtxt"));
        },
      ],
    ])("%s is not overwritten unless the user wants it", async (_how, change) => {
      await writeFile(at("g.pbtxt"), text("a"));
      const { path: _, name: __, ...opened } = await documents.open(at("g.pbtxt"));
      await change();
      const theirs = await readFile(at("g.pbtxt"), "utf8");
      const request = { ...opened, metaGraph: edited, path: at("g.pbtxt") };
      for (const save of [request, { ...request, sourceId: undefined }]) {
        expect(await problemOfCall(documents.save(defined({ ...save, overwrite: false })))).toMatchObject({
          code: "ALREADY_EXISTS",
          message: "g.pbtxt was changed since it was opened or saved here.",
        });
      }
      expect(await readFile(at("g.pbtxt"), "utf8")).toBe(theirs);
      await documents.save({ ...request, overwrite: true });
      await documents.save({ ...request, overwrite: false });
      expect(await readFile(at("g.pbtxt"), "utf8")).toContain("edited");
    });

    it("in another window is not overwritten either, also when both save at once", async () => {
      await writeFile(at("g.pbtxt"), text("a"));
      const [one, other] = [await documents.open(at("g.pbtxt")), await documents.open(at("g.pbtxt"))];
      const save = ({ name: _, ...file }: typeof one) =>
        documents.save({ ...file, path: at("g.pbtxt"), overwrite: false });
      const outcomes = await Promise.allSettled([save(one), save(other)]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      expect((await problemOfCall(save(other))).code).toBe("ALREADY_EXISTS");
      await save(one);
    });

    it("is written again when it was deleted", async () => {
      await writeFile(at("g.pbtxt"), text("a"));
      const { name: _, ...opened } = await documents.open(at("g.pbtxt"));
      await rm(at("g.pbtxt"));
      await documents.save({ ...opened, path: at("g.pbtxt"), overwrite: false });
      expect(await readFile(at("g.pbtxt"), "utf8")).toContain('"a"');
    });
  });

  it.skipIf(process.platform === "win32")("does not take the place of what is no file", async () => {
    const metaGraph = MetaGraphDef.encode(metaGraphWith("a")).finish();
    await symlink("/dev/null", at("null.pb"));
    await symlink(at("loop.pb"), at("loop.pb"));
    const request = { kind: "graph" as const, format: "binary" as const, metaGraph, overwrite: true };
    const refused = await problemOfCall(documents.save({ ...request, path: at("null.pb") }));
    expect(refused.code).toBe("INVALID_ARGUMENT");
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
    expect((await problemOfCall(documents.save({ ...request, path: at("loop.pb") }))).reason).toMatch(/loop/);
    expect((await readdir(folder)).sort()).toEqual(["loop.pb", "null.pb"]);
  });

  it("is unchanged when writing fails, and nothing is left behind", async () => {
    const metaGraph = MetaGraphDef.encode(metaGraphWith("a")).finish();
    const request = { kind: "graph" as const, format: "text" as const, metaGraph, overwrite: true };
    const missing = await problemOfCall(documents.save({ ...request, path: join(folder, "no", "x.pbtxt") }));
    expect(missing).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining("x.pbtxt") });
    const isFolder = await problemOfCall(documents.save({ ...request, path: folder }));
    expect(isFolder.message).toContain(folder);
    expect(await readdir(folder)).toEqual([]);
    // Only of a file that was there is said that it is unchanged.
    await writeFile(at("file"), "");
    const inFile = await problemOfCall(documents.save({ ...request, path: join(at("file"), "x.pbtxt") }));
    expect(inFile.message).toMatch(/x\.pbtxt could not be written\b(?!; the existing)/);
    const broken = { ...request, metaGraph: new Uint8Array([0xff]), path: at("y.pbtxt") };
    expect((await problemOfCall(documents.save(broken))).code).toBe("INVALID_ARGUMENT");
  });

  it.skipIf(process.platform === "win32")("is written through a link and keeps its permissions", async () => {
    await writeFile(at("real.pb"), GraphDef.encode(GraphDef.create()).finish());
    await chmod(at("real.pb"), 0o640);
    await symlink(at("real.pb"), at("link.pb"));
    const metaGraph = MetaGraphDef.encode(metaGraphWith("a")).finish();
    const request = { kind: "graph" as const, format: "binary" as const, metaGraph, overwrite: true };
    await documents.save({ ...request, path: at("link.pb") });
    expect((await documents.open(at("real.pb"))).metaGraph).toEqual(metaGraph);
    expect((await readdir(folder)).sort()).toEqual(["link.pb", "real.pb"]);
  });
});

describe("a SavedModel", () => {
  const model = () =>
    SavedModel.fromPartial({
      savedModelSchemaVersion: 1n,
      metaGraphs: [
        { ...metaGraphWith("train"), metaInfoDef: { tags: ["train"] } },
        { ...metaGraphWith("serve"), metaInfoDef: { tags: ["serve"] } },
      ],
    });

  /** The window's way with a document: it changes the graph and knows nothing of the rest. */
  function edited(metaGraph: Uint8Array): Uint8Array {
    const decoded = MetaGraphDef.decode(metaGraph);
    decoded.graphDef?.node.push(...(metaGraphWith("added").graphDef?.node ?? []));
    return MetaGraphDef.encode(decoded).finish();
  }

  async function namesIn(path: string): Promise<string[][]> {
    const { metaGraphs } = SavedModel.decode(await readFile(path));
    return metaGraphs.map(({ graphDef }) => graphDef?.node.map(({ name }) => name) ?? []);
  }

  it("keeps its other graphs when it is saved, in place and under another name", async () => {
    await writeFile(at("saved_model.pb"), SavedModel.encode(model()).finish());
    const opened = await documents.open(at("saved_model.pb"));
    expect(opened.kind).toBe("saved_model");
    const request = {
      kind: opened.kind,
      format: opened.format,
      metaGraph: edited(opened.metaGraph),
      overwrite: false,
    };
    const { sourceId } = opened;
    if (sourceId === undefined) throw new Error("no source");
    await documents.save({ ...request, path: at("copy.pb"), sourceId });
    expect(await namesIn(at("copy.pb"))).toEqual([["train"], ["serve", "added"]]);
    // A window that hands no source back still loses nothing in place.
    await documents.save({ ...request, path: at("saved_model.pb") });
    expect(await namesIn(at("saved_model.pb"))).toEqual([["train"], ["serve", "added"]]);
  });

  it("takes its variables and assets along into another folder, once, and never over those of another model", async () => {
    for (const folder of ["model/variables", "model/assets", "copy", "other/variables"]) {
      await mkdir(at(folder), { recursive: true });
    }
    await writeFile(at("model/saved_model.pb"), SavedModel.encode(model()).finish());
    await writeFile(at("model/variables/variables.index"), "index");
    await writeFile(at("model/assets/words.txt"), "words");
    const { name: _, ...opened } = await documents.open(at("model"));
    expect(opened.path).toBe(at("model/saved_model.pb"));
    const copy = { ...opened, path: at("copy/saved_model.pb"), overwrite: true };
    await documents.save(copy);
    expect(await readFile(at("copy/variables/variables.index"), "utf8")).toBe("index");
    expect(await readFile(at("copy/assets/words.txt"), "utf8")).toBe("words");
    await documents.save(copy);
    const other = { ...copy, path: at("other/saved_model.pb") };
    expect(await problemOfCall(documents.save(other))).toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("another model's variables"),
    });
    await documents.save({ ...copy, path: at("other/graph.pb") });
  });

  it("keeps them also when its content came from the browser", async () => {
    const read = await documents.read("saved_model.pb", SavedModel.encode(model()).finish());
    expect(read.path).toBeUndefined();
    const { name: _, ...rest } = read;
    await documents.save({ ...rest, path: at("dropped.pb"), overwrite: false });
    expect(await namesIn(at("dropped.pb"))).toEqual([["train"], ["serve"]]);
  });
});

describe("a model of Keras", () => {
  it("is opened as a graph that is in no file yet, from a path or the browser", async () => {
    const bytes = kerasArchive(sequentialConfig(DENSE), await hdf5File(writeDense));
    await writeFile(at("small.keras"), bytes);
    const opened = await documents.open(at("small.keras"));
    expect(opened).toMatchObject({ name: "small", kind: "saved_model", format: "binary" });
    expect(opened.path).toBeUndefined();
    expect(used).toEqual([at("small.keras")]);
    // Nothing is left to be read beside it.
    expect(documents.folderOf(opened.sourceId ?? "")).toBeUndefined();
    const dropped = await documents.read("small.keras", bytes.slice());
    expect(dropped).toMatchObject({ name: "small", metaGraph: opened.metaGraph });
    const { name: _, ...rest } = opened;
    await documents.save({ ...rest, path: at("saved_model.pb"), overwrite: false });
    expect((await documents.open(at("saved_model.pb"))).kind).toBe("saved_model");
    expect(await problemOfCall(documents.read("bad.keras", bytes.subarray(0, 300)))).toMatchObject({
      message: "bad.keras cannot be opened as a graph.",
      reason: expect.stringContaining("not a complete .keras file"),
    });
  });
});

describe("what is no graph", () => {
  it("is refused with what it is instead and where", async () => {
    await writeFile(at("x.pbtxt"), "node { name: ");
    expect(await problemOfCall(documents.open(at("x.pbtxt")))).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: "x.pbtxt cannot be opened as a graph.",
      reason: expect.any(String),
      remedy: expect.stringMatching(/\.pbtxt.*\.onnx/),
    });
    await writeFile(at("x.png"), new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
    expect((await problemOfCall(documents.open(at("x.png")))).code).toBe("INVALID_ARGUMENT");
    expect(await problemOfCall(documents.open(at("none.pb")))).toMatchObject({
      code: "NOT_FOUND",
      message: `${at("none.pb")} cannot be opened.`,
    });
    expect((await problemOfCall(documents.open(folder))).code).toBe("INVALID_ARGUMENT");
    expect((await problemOfCall(documents.open("a\0b"))).code).toBe("INVALID_ARGUMENT");
    expect(used).toEqual([]);
  });
});
