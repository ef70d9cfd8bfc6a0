import { expect, it } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { decodeMetaGraph } from "../../../renderer/document/decode-graph.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";
import fc from "../../support/seeded-check.js";
import { message } from "../../worker-runtime/graph/arbitrary-message.js";

it("a graph that is decoded in slices is what protobuf decodes in one piece", () => {
  fc.assert(
    fc.property(message("tensorflow.MetaGraphDef"), (any) => {
      const bytes = MetaGraphDef.encode(any as unknown as MetaGraphDef).finish();
      const { metaGraph, nodes } = atOnce(decodeMetaGraph(bytes));
      const { graphDef = GraphDef.fromPartial({}), ...whole } = MetaGraphDef.decode(bytes);
      expect({ ...metaGraph, graphDef: { ...metaGraph.graphDef, node: nodes } }).toEqual({
        ...whole,
        graphDef,
      });
    }),
  );
});

it("of a graph that is there twice the last one counts, and a damaged one is refused", () => {
  const graph = (op: string) =>
    MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef: { node: [{ name: "a", op }] } })).finish();
  const both = Uint8Array.from([...graph("Abs"), ...graph("Neg")]);
  expect(atOnce(decodeMetaGraph(both)).nodes.map(({ op }) => op)).toEqual(["Neg"]);
  expect(() => atOnce(decodeMetaGraph(both.subarray(0, -1)))).toThrow();
});
