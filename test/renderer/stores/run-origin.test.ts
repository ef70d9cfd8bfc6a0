import { describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { readDocument, writeDocument } from "../../../renderer/document/document-file.js";
import { originOf } from "../../../renderer/stores/run-origin.js";
import { examples } from "../../../worker-runtime/graph/examples/index.js";
import { readGraphFile, writeGraphFile } from "../../../worker-runtime/graph/graph-file.js";

describe("the digest of a document, by which it is told whether values are of its present state", () => {
  it.each(examples.map(({ id, build }) => ({ id, build })))(
    "stays when $id is saved as text and read again",
    async ({ build }) => {
      const opened = readDocument({
        ...{ name: "graph.pbtxt", kind: "meta_graph", format: "text" },
        metaGraph: MetaGraphDef.encode(await build()).finish(),
      });
      const metaGraph = MetaGraphDef.decode(writeDocument(opened));
      const text = writeGraphFile({ kind: "meta_graph", format: "text", metaGraph });
      const again = readGraphFile(text, "graph.pbtxt");
      const reopened = readDocument({
        ...{ name: "graph.pbtxt", kind: "meta_graph", format: "text" },
        metaGraph: MetaGraphDef.encode(again.metaGraph).finish(),
      });
      expect(originOf(reopened).digest).toBe(originOf(opened).digest);
    },
  );
});
