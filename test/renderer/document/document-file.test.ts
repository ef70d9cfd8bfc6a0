import { describe, expect, it } from "vitest";
import { FunctionDefLibrary } from "../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { type CollectionDef, MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { graphToRun, readDocument, writeDocument } from "../../../renderer/document/document-file.js";
import {
  type ClusterConfigRow,
  EMPTY_RUN_CONFIG,
  EMPTY_RUN_CONFIGS,
  type RunConfig,
  type RunConfigs,
} from "../../../renderer/document/model.js";
import { readRunConfigs, writeRunConfigs } from "../../../renderer/document/run-config-file.js";
import { readChosenRun } from "../../../worker-runtime/graph/document-settings.js";
import {
  DOCUMENT_COLLECTION,
  LAYOUT_X_ATTR,
  LAYOUT_Y_ATTR,
} from "../../../worker-runtime/graph/private-attrs.js";
import { binary, constant, node } from "./graphs.js";

function metaGraph(changes: Partial<MetaGraphDef> = {}): MetaGraphDef {
  const graphDef = GraphDef.fromPartial({ node: [] });
  graphDef.node = [constant("a", "3"), binary("x", "AddV2", "a", "a")];
  return { ...MetaGraphDef.fromPartial({}), graphDef, ...changes };
}

function open(meta: MetaGraphDef) {
  return readDocument({
    name: "g",
    kind: "meta_graph",
    format: "text",
    metaGraph: MetaGraphDef.encode(meta).finish(),
  });
}

describe("a document", () => {
  it("loses nothing of its file by opening and saving", () => {
    const meta = metaGraph();
    meta.metaInfoDef = {
      ...MetaGraphDef.fromPartial({ metaInfoDef: { tags: ["serve"] } }).metaInfoDef,
      tensorflowVersion: "2.21.0",
    } as MetaGraphDef["metaInfoDef"];
    meta.collectionDef.set("variables", {
      kind: { $case: "bytesList", value: { value: [Uint8Array.of(1, 2)] } },
    });
    if (meta.graphDef) {
      meta.graphDef.library = FunctionDefLibrary.fromPartial({ function: [{ signature: { name: "f" } }] });
      meta.graphDef.versions = { producer: 2000, minConsumer: 12, badConsumers: [] };
      meta.graphDef.node[0]?.attr.set("_my_note", { value: { $case: "s", value: Uint8Array.of(65) } });
    }
    const again = MetaGraphDef.decode(writeDocument(open(meta)));
    for (const one of again.graphDef?.node ?? []) {
      one.attr.delete(LAYOUT_X_ATTR);
      one.attr.delete(LAYOUT_Y_ATTR);
    }
    expect(again).toEqual(MetaGraphDef.decode(MetaGraphDef.encode(meta).finish()));
  });

  it("keeps fields that this version does not know", () => {
    const bytes = MetaGraphDef.encode(metaGraph()).finish();
    // Field 1000, a varint: no MetaGraphDef has it.
    const unknown = Uint8Array.of(0xc0, 0x3e, 0x2a);
    const file = new Uint8Array([...bytes, ...unknown]);
    const document = readDocument({ name: "g", kind: "meta_graph", format: "binary", metaGraph: file });
    expect(Buffer.from(writeDocument(document)).includes(Buffer.from(unknown))).toBe(true);
  });

  it("keeps the cluster that it wants beside its run settings", () => {
    const cluster: ClusterConfigRow[] = [
      { job: "worker", index: 3, machine: "pi", address: "pi:2222", engine: "portable", gpu: [0, 1] },
      { job: "ps", index: 0, machine: "", address: "far:2222", engine: "tensorflow", gpu: "none" },
    ];
    const runConfig = { ...EMPTY_RUN_CONFIG, steps: 7 };
    const first = { ...open(metaGraph()), cluster, runConfig };
    const again = open(MetaGraphDef.decode(writeDocument(first)));
    expect(again.cluster).toEqual(cluster);
    expect(again.runConfig).toEqual(runConfig);
    const without = open(MetaGraphDef.decode(writeDocument({ ...again, cluster: [] })));
    expect(without.cluster).toEqual([]);
    expect(without.runConfig).toEqual(runConfig);
  });

  it("brings nodes back to where they were", () => {
    const first = open(metaGraph());
    const moved = { ...first, layout: new Map(first.layout).set("x", { x: -40, y: 512 }) };
    const bytes = writeDocument(moved);
    const again = readDocument({ name: "g", kind: "meta_graph", format: "text", metaGraph: bytes });
    expect(again.layout.get("x")).toEqual({ x: -40, y: 512 });
    expect(again.nodes.get("x")?.attr.has(LAYOUT_X_ATTR)).toBe(false);
  });

  it("lays out only what has no place yet", () => {
    const meta = metaGraph();
    const placed = meta.graphDef?.node[0];
    placed?.attr
      .set(LAYOUT_X_ATTR, { value: { $case: "f", value: 7 } })
      .set(LAYOUT_Y_ATTR, { value: { $case: "f", value: 9 } });
    const document = open(meta);
    expect(document.layout.get("a")).toEqual({ x: 7, y: 9 });
    expect(document.layout.get("x")?.y).toBeGreaterThan(9);
  });

  it("is run without any attribute of Tensordeck's own, in functions neither", () => {
    const meta = metaGraph();
    const note = { value: { $case: "s", value: Uint8Array.of(65) } } as const;
    if (meta.graphDef) {
      meta.graphDef.node[0]?.attr.set("_tensordeck_note", note).set("_class", note);
      const inner = node("i", "Identity", ["x"], { _tensordeck_note: note });
      meta.graphDef.library = {
        ...FunctionDefLibrary.fromPartial({ function: [{ signature: { name: "f" } }] }),
      };
      meta.graphDef.library.function[0]?.nodeDef.push(inner);
    }
    const graph = graphToRun(open(meta));
    expect([...(graph.node[0]?.attr.keys() ?? [])].sort()).toEqual(["_class", "dtype", "value"]);
    expect(graph.library?.function[0]?.nodeDef[0]?.attr.size).toBe(0);
  });

  it("with two nodes of one name is refused in words", () => {
    const meta = metaGraph();
    meta.graphDef?.node.push(constant("a", "1"));
    expect(() => open(meta)).toThrow("two nodes named a");
  });
});

describe("the run configurations", () => {
  const config: RunConfig = {
    name: "train",
    feeds: {
      "x:0": { kind: "literal", text: "[1, 2]" },
      "y:0": { kind: "file", path: "/data/y.csv", column: 2 },
      "z:0": {
        kind: "content",
        name: "z.npz",
        bytes: Uint8Array.of(0, 200, 255),
        column: "a",
        batched: true,
      },
      "i:0": {
        kind: "content",
        name: "i.jpg",
        bytes: Uint8Array.of(1),
        pixels: { range: "signed", shape: [1, 1, 1] },
        note: "cut",
      },
    },
    fetches: ["sum:0"],
    targets: ["init"],
    steps: 1000,
    trace: true,
    traceEvery: 50,
    stops: [
      { kind: "below", tensor: "loss:0", value: 0.5 },
      { kind: "not-finite", tensor: "loss:0" },
    ],
    batches: { size: 8, seed: 3, epochs: 2, dropLast: true },
  };
  const evaluation: RunConfig = { ...EMPTY_RUN_CONFIG, name: "evaluate", fetches: ["accuracy:0"] };
  const configs: RunConfigs = { runConfig: config, otherRuns: [evaluation], defaultRun: "train" };

  it("comes back from the collection as it was", () => {
    expect(readRunConfigs(writeRunConfigs(undefined, configs))).toEqual(configs);
  });

  it("opens with the default one, which other programs read, whichever was chosen", () => {
    const written = writeRunConfigs(undefined, { ...configs, defaultRun: "evaluate" });
    expect(readChosenRun(written)).toEqual({ fetches: ["accuracy:0"], targets: [] });
    expect(readRunConfigs(written)).toEqual({
      runConfig: evaluation,
      otherRuns: [config],
      defaultRun: "evaluate",
    });
  });

  it("drops what it cannot read of the others, and a name that comes twice", () => {
    const others = [{ name: "train" }, { name: "evaluate", fetches: ["accuracy:0"], stops: "often" }];
    const text = JSON.stringify({ run: { name: "train", steps: 5, others } });
    const collection: CollectionDef = {
      kind: { $case: "bytesList", value: { value: [new TextEncoder().encode(text)] } },
    };
    expect(readRunConfigs(collection)).toEqual({
      runConfig: { ...EMPTY_RUN_CONFIG, name: "train", steps: 5 },
      otherRuns: [evaluation],
      defaultRun: "train",
    });
  });

  it("leaves other values and settings it does not know in place", () => {
    const other = new TextEncoder().encode("other");
    const foreign = new TextEncoder().encode(JSON.stringify({ frames: [1], run: { later: true } }));
    const before: CollectionDef = { kind: { $case: "bytesList", value: { value: [foreign, other] } } };
    const written = writeRunConfigs(before, configs);
    const values = written?.kind?.$case === "bytesList" ? written.kind.value.value : [];
    expect(JSON.parse(new TextDecoder().decode(values[0]))).toMatchObject({
      frames: [1],
      run: { later: true, steps: 1000 },
    });
    expect(values[1]).toEqual(other);
  });

  it("adds no collection to a graph that has nothing to say", () => {
    expect(writeRunConfigs(undefined, EMPTY_RUN_CONFIGS)).toBeUndefined();
    const document = open(metaGraph());
    expect(MetaGraphDef.decode(writeDocument(document)).collectionDef.has(DOCUMENT_COLLECTION)).toBe(false);
  });

  it("that cannot be read is taken for none", () => {
    const broken: CollectionDef = {
      kind: { $case: "bytesList", value: { value: [new TextEncoder().encode("{")] } },
    };
    expect(readRunConfigs(broken)).toEqual(EMPTY_RUN_CONFIGS);
  });
});
