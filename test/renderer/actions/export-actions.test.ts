// @vitest-environment happy-dom

import { base64Decode } from "@bufbuild/protobuf/wire";
import { unzlibSync } from "fflate";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { exportScript, type ScriptLanguage } from "../../../renderer/actions/export-actions.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const saved: { name: string; content: Blob }[] = [];

beforeEach(() => {
  connect();
  openDocument(welcome());
  const contents: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    contents.push(blob as Blob);
    return "blob:";
  });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, content: contents.at(-1) ?? new Blob() });
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  saved.length = 0;
});

const text = async (language: ScriptLanguage) => {
  await exportScript(language);
  return (await saved.at(-1)?.content.text()) ?? "";
};

it("is a script named after the document, with its nodes and what it fetches", async () => {
  const script = await text("python");
  expect(saved[0]?.name).toBe("test.py");
  expect(script).toMatch(/raw\.Add(V2)?\(.*name="z"\)/);
  expect(script).toContain('fetches = ["z:0"]');
  expect(script).toContain('target = ""');
});

it("runs on the tasks that run", async () => {
  const tasks = [
    taskOf("ps/0", { address: "10.0.0.1:2223" }),
    taskOf("worker/0", { address: "10.0.0.1:2222" }),
    taskOf("worker/1", { address: "10.0.0.1:2224", state: "failed" }),
  ];
  receiveCluster(clusterOf([machineOf("laptop", { tasks })]));
  const script = await text("typescript");
  expect(saved[0]?.name).toBe("test.ts");
  expect(script).toContain('new Session("grpc://10.0.0.1:2222"');
  expect(script).toContain('{"ps":["10.0.0.1:2223"],"worker":["10.0.0.1:2222"]}');
});

it("has the feeds as they were typed, and the files by their names", async () => {
  documentActions.addNode("Placeholder", { x: 0, y: 0 });
  documentActions.setFeed("Placeholder:0", { kind: "literal", text: "[1, nan]" });
  expect(await text("python")).toContain('"Placeholder:0": [1, float("nan")],');
  documentActions.setFeed("Placeholder:0", { kind: "file", path: "/data/x.csv", column: 2 });
  expect(await text("python")).toContain('np.genfromtxt("/data/x.csv", delimiter=",", usecols=[2])');
  documentActions.setFeed("Placeholder:0", {
    kind: "file",
    path: "/x.tfrecord",
    column: "f",
    feature: { shape: [2] },
  });
  expect(await text("python")).toContain('read_feature("/x.tfrecord", "f", [2])');
  expect(await text("typescript")).toContain(
    'feedFromFile("/x.tfrecord", { column: "f", feature: {"shape":[2]} })',
  );
});

it("refuses a graph with an unconnected input, and names the node", async () => {
  documentActions.deleteNodes(["a"]);
  await expect(exportScript("python")).rejects.toMatchObject({
    problem: {
      code: "FAILED_PRECONDITION",
      message: expect.stringContaining("has an input without a value"),
    },
  });
  expect(saved).toEqual([]);
});

it("refuses what scripts cannot feed: rows in batches, and image files", async () => {
  documentActions.addNode("Placeholder", { x: 0, y: 0 });
  documentActions.setFeed("Placeholder:0", { kind: "file", path: "/data/x.npy", batched: true });
  await expect(exportScript("python")).rejects.toMatchObject({
    problem: { message: "Placeholder:0 is fed in batches, which an exported script cannot do." },
  });
  documentActions.setFeed("Placeholder:0", {
    kind: "file",
    path: "/data/x.npy",
    shard: { count: 2, index: 0 },
  });
  await expect(exportScript("python")).rejects.toMatchObject({
    problem: { message: expect.stringContaining("a share of a file's rows") },
  });
  documentActions.setFeed("Placeholder:0", {
    kind: "file",
    path: "/data/cats.and.dogs/train",
    column: "images",
  });
  await expect(exportScript("python")).rejects.toMatchObject({
    problem: { message: expect.stringContaining("is fed image files") },
  });
  documentActions.setFeed("Placeholder:0", { kind: "file", path: "/data/cat.PNG" });
  await expect(exportScript("typescript")).rejects.toMatchObject({ problem: { node: "Placeholder" } });
});

it("has the images that were chosen in the window as the numbers that a run feeds", async () => {
  documentActions.addNode("Placeholder", { x: 0, y: 0 });
  const feed = (range: "unit" | "byte") =>
    documentActions.setFeed("Placeholder:0", {
      ...{ kind: "content", name: "cat.jpg", bytes: Uint8Array.of(0, 51, 255) },
      pixels: { range, shape: [1, 1, 3] },
    });
  feed("unit");
  const python = await text("python");
  const [, data = ""] =
    /"Placeholder:0": array\(tf\.uint8, \[1, 1, 3\], "([^"]+)"\) \/ 255,/.exec(python) ?? [];
  expect([...unzlibSync(base64Decode(data))]).toEqual([0, 51, 255]);
  expect(python).toContain("def array(dtype, shape, data):");
  feed("byte");
  const typescript = await text("typescript");
  expect(typescript).toContain(
    '"Placeholder:0": new Tensor("float32", [1, 1, 3], Float32Array.from(decode(Uint8Array, ',
  );
  expect(typescript).toContain("function decode");
});
