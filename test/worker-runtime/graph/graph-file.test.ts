import { describe, expect, test } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { SavedModel } from "../../../protos/generated/tensorflow/saved_model.js";
import { csvSumGraph } from "../../../worker-runtime/graph/examples/csv-sum.js";
import { welcomeGraph } from "../../../worker-runtime/graph/examples/first-graphs.js";
import {
  checkMessageSize,
  type GraphFileFormat,
  type GraphFileKind,
  readGraphFile,
  writeGraphFile,
} from "../../../worker-runtime/graph/graph-file.js";
import { stripPrivateAttrs } from "../../../worker-runtime/graph/private-attrs.js";
import { formatText } from "../../../worker-runtime/graph/text-format.js";

const utf8 = new TextEncoder();
const kinds: readonly GraphFileKind[] = ["graph", "meta_graph", "saved_model"];
const formats: readonly GraphFileFormat[] = ["binary", "text"];

function graphText({ graphDef }: MetaGraphDef): string {
  return formatText("tensorflow.GraphDef", graphDef ?? {});
}

function problem(bytes: Uint8Array): string {
  try {
    readGraphFile(bytes, "file.pb");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("no error");
}

describe.each(kinds)("a %s file", (kind) => {
  test.each(formats)("is recognised by its content and written back the same (%s)", (format) => {
    const bytes = writeGraphFile({ kind, format, metaGraph: csvSumGraph() });
    const file = readGraphFile(bytes, "name.says.nothing");
    expect([file.kind, file.format]).toEqual([kind, format]);
    expect(graphText(file.metaGraph)).toBe(graphText(csvSumGraph()));
    expect(writeGraphFile(file)).toEqual(bytes);
  });
});

describe("recognising files", () => {
  test("text in UTF-16, as PowerShell's > writes it", () => {
    const text = `\ufeff# größer\r\n${graphText(csvSumGraph()).replaceAll("\n", "\r\n")}`;
    const little = Buffer.from(text, "utf16le");
    for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(text)]) {
      const { kind, format, metaGraph } = readGraphFile(bytes, "graph.pbtxt");
      expect([kind, format]).toEqual(["graph", "text"]);
      expect(graphText(metaGraph)).toBe(graphText(csvSumGraph()));
    }
  });

  test("a graph without nodes, and a meta graph with collections alone", () => {
    const empty = GraphDef.encode(GraphDef.fromPartial({ versions: { producer: 2474 } })).finish();
    expect(readGraphFile(empty, "x").kind).toBe("graph");
    const collections = MetaGraphDef.fromPartial({
      collectionDef: new Map([["a", { kind: { $case: "int64List", value: { value: [1n] } } }]]),
    });
    expect(readGraphFile(MetaGraphDef.encode(collections).finish(), "x").kind).toBe("meta_graph");
  });

  test("a meta graph whose information comes first, with tags and versions", () => {
    const metaGraph = { ...welcomeGraph() };
    metaGraph.metaInfoDef = {
      ...metaGraph.metaInfoDef,
      tags: ["serve", "gpu"],
      metaGraphVersion: "v1",
    } as typeof metaGraph.metaInfoDef;
    expect(readGraphFile(MetaGraphDef.encode(metaGraph).finish(), "x").kind).toBe("meta_graph");
  });

  test("text with comments before it", () => {
    const text = `# made by hand\n\n  # more\n${graphText(welcomeGraph())}`;
    expect(readGraphFile(utf8.encode(text), "x").kind).toBe("graph");
  });

  test.each([
    ["", "is empty"],
    ["  \n# only this\n", "nothing in it but blank lines and comments"],
    ["<!DOCTYPE html><html><body>404</body></html>", "is a web page"],
    ["<html>", "is a web page"],
    ['{"nodes": []}', "is JSON"],
    ['model_checkpoint_path: "model-1"\n', "list of a folder's checkpoints"],
    ["version https://git-lfs.github.com/spec/v1\noid sha256:1", "Git LFS pointer"],
    ['nodes { name: "a" }', 'its text begins with "nodes", which none of them has'],
    ["import tensorflow as tf", "its text begins with no field of one"],
    ['node { name: "a"\n op "Const" }', 'Line 2, column 5: expected ":" after "op"'],
  ])("%j is no graph", (text, expected) => {
    expect(problem(utf8.encode(text))).toContain(expected);
  });

  test.each([
    [[0x50, 0x4b, 3, 4, 20, 0], "zip archive"],
    [[0x89, 0x48, 0x44, 0x46, 13, 10], "HDF5"],
    [[0x1f, 0x8b, 8, 0], "gzip"],
    [[0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1], "NumPy"],
    [[28, 0, 0, 0, 0x54, 0x46, 0x4c, 0x33], "TensorFlow Lite"],
    [[0, 0, 0, 9, 0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb], "index of a checkpoint"],
    [[...Buffer.from('node { name: "'), 0xe9, 0x22, 0x7d], "looks like text but is not valid UTF-8"],
    [[0x80, 0x3f, 0xaa, 0x40], "not a graph, or it is damaged"],
    [[0xff, 0xfd, 1, 2, 3, 4], "not a graph, or it is damaged"],
    [[8, 1], "not a graph"],
  ])("bytes %j are no graph", (bytes, expected) => {
    expect(problem(new Uint8Array(bytes))).toContain(expected);
  });

  test("the data of a checkpoint is told by its name, because values of variables can look like a graph", () => {
    const looksCutOff = new Uint8Array([0x0a, 0x7f, 0x0a, 0x01, 0x78]);
    expect(() => readGraphFile(looksCutOff, "model.data-00000-of-00001")).toThrow(
      /is the data of a checkpoint.*Open its \.meta file/,
    );
  });

  test("whichever byte a file breaks off at, the error says so and nothing is opened in part", () => {
    for (const kind of kinds) {
      const whole = writeGraphFile({ kind, format: "binary", metaGraph: welcomeGraph() });
      for (const at of [12, 40, whole.length >> 1, whole.length - 1]) {
        expect(problem(whole.subarray(0, at)), `${kind} cut at ${at}`).toMatch(/not whole|damaged/);
      }
    }
  });
});

describe("nothing is lost", () => {
  test("fields that the .proto files do not have", () => {
    const graph = { ...welcomeGraph().graphDef } as GraphDef;
    const node = graph.node[0];
    if (!node) throw new Error("no node");
    node._unknownFields = { [(77 << 3) | 2]: [new Uint8Array([2, 8, 1])] };
    graph._unknownFields = { [99 << 3]: [new Uint8Array([5])] };
    const bytes = GraphDef.encode(graph).finish();
    const file = readGraphFile(bytes, "x");
    expect(writeGraphFile(file)).toEqual(bytes);
    const asText = readGraphFile(writeGraphFile({ ...file, format: "text" }), "x");
    // Text lists attributes by name, so the bytes come in another order.
    expect(graphText(asText.metaGraph)).toBe(graphText(file.metaGraph));
    expect(writeGraphFile({ ...asText, format: "binary" }).length).toBe(bytes.length);
  });

  test("the other meta graphs of a SavedModel", () => {
    const train = csvSumGraph();
    const serve = welcomeGraph();
    if (!serve.metaInfoDef) throw new Error("no information");
    serve.metaInfoDef.tags = ["serve"];
    const saved = SavedModel.fromPartial({ savedModelSchemaVersion: 1n, metaGraphs: [train, serve] });
    const bytes = SavedModel.encode(saved).finish();
    const file = readGraphFile(bytes, "saved_model.pb");
    expect(file.metaGraph.metaInfoDef?.tags).toEqual(["serve"]);
    expect(writeGraphFile(file)).toEqual(bytes);
    const edited = {
      ...file.metaGraph,
      graphDef: GraphDef.fromPartial({ node: file.metaGraph.graphDef?.node.slice(1) ?? [] }),
    };
    const back = SavedModel.decode(writeGraphFile({ ...file, metaGraph: edited }));
    expect(back.metaGraphs[0]).toEqual(SavedModel.decode(bytes).metaGraphs[0]);
    expect(back.metaGraphs[1]?.graphDef?.node.length).toBe(4);
  });
});

test("messages of more than 2 GB are refused before they are sent", () => {
  expect(() => checkMessageSize(2 ** 31 - 1, "This graph")).not.toThrow();
  expect(() => checkMessageSize(3 * 2 ** 30, "This graph")).toThrow(
    "This graph takes 3.0 GB, but TensorFlow's messages",
  );
});

test("only Tensordeck's own attributes are taken off, in functions, too, and the document keeps them", () => {
  const graph = welcomeGraph().graphDef;
  const node = graph?.node[0];
  if (!graph || !node) throw new Error("no graph");
  node.attr.set("_other", { value: { $case: "b", value: true } });
  graph.library = {
    function: [
      {
        signature: undefined,
        nodeDef: [structuredClone(node)],
        attr: new Map(),
        argAttr: new Map(),
        resourceArgUniqueId: new Map(),
        ret: new Map(),
        controlRet: new Map(),
      },
    ],
    gradient: [],
    registeredGradients: [],
  };
  const stripped = stripPrivateAttrs(graph);
  expect([...(stripped.node[0]?.attr.keys() ?? [])].sort()).toEqual(["_other", "dtype", "value"]);
  expect([...(stripped.library?.function[0]?.nodeDef[0]?.attr.keys() ?? [])]).not.toContain("_tensordeck_x");
  expect([...node.attr.keys()]).toContain("_tensordeck_x");
});
