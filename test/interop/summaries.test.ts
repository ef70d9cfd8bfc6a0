/** Summaries that graphs make, written to event files that stock TensorFlow reads. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import * as summary from "../../worker-runtime/graph/ops/summary.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { FileWriter } from "../../worker-runtime/training/summary-writer.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

/** Makes the same summaries with TensorFlow's own functions, and reads the event files in the folders given. */
const PYTHON = `
import glob, json, sys
import tensorflow as tf
from google.protobuf.json_format import MessageToDict
v1 = tf.compat.v1
v1.disable_eager_execution()

def plain(summary):
    values = []
    for value in summary.value:
        known = MessageToDict(value)
        if value.HasField("image"):
            with v1.Session() as session:
                known["image"]["pixels"] = session.run(tf.io.decode_png(value.image.encoded_image_string)).tolist()
            del known["image"]["encodedImageString"]
        values.append(known)
    return values

x = tf.constant([[1.0, -2.0], [3.5, 0.25]])
with tf.name_scope("model"):
    v1.summary.scalar("mean loss", tf.reduce_mean(x))
    v1.summary.histogram("weights", x)
v1.summary.image("picture", tf.reshape(x, [1, 2, 2, 1]))
v1.summary.text("note", tf.constant("**hello**"))
merged = v1.summary.merge_all()
with v1.Session() as session:
    expected = plain(v1.Summary.FromString(session.run(merged)))
read = []
for folder in sys.argv[1:]:
    for path in glob.glob(folder + "/events.out.tfevents.*"):
        for event in v1.train.summary_iterator(path):
            if event.HasField("summary"): read.append({"step": event.step, "values": plain(event.summary)})
print("RESULT " + json.dumps({"expected": expected, "read": read}))
`;

const ENGINES: readonly EngineName[] = ["portable", "tensorflow"];

function model() {
  const graph = new Graph();
  const x = ops.constant(graph, [
    [1, -2],
    [3.5, 0.25],
  ]);
  graph.withNameScope("model", () => {
    summary.scalar("mean loss", ops.reduceMean(x));
    summary.histogram("weights", x);
  });
  summary.image("picture", ops.reshape(x, [1, 2, 2, 1]));
  summary.text("note", ops.constant(graph, Tensor.of("**hello**", "string")));
  return { graph, merged: summary.mergeAll(graph) };
}

async function write(engine: EngineName, folder: string): Promise<void> {
  const { graph, merged } = model();
  if (!merged) throw new Error("The graph has no summaries.");
  const server = await Server.createLocalServer(
    engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
  );
  const session = new Session(server.target, { graph });
  const writer = await FileWriter.create(folder);
  try {
    const { values } = await session.run([merged]);
    await expect(writer.addSummary(Tensor.of(1), 7)).rejects.toThrow("but this tensor is float32");
    if (values[0]) await writer.addSummary(values[0], 7);
  } finally {
    await writer.close();
    await session.close();
    await server.stop();
  }
}

describe.skipIf(peerMissing("tensorflow"))("summaries of a graph", () => {
  let folder = "";
  let found: { readonly expected: unknown[]; readonly read: readonly { step: string; values: unknown[] }[] };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-test-"));
    const folders = ENGINES.map((engine) => join(folder, engine));
    for (const [i, engine] of ENGINES.entries()) await write(engine, folders[i] ?? folder);
    found = await tensorflowResult(PYTHON, { args: folders });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(ENGINES.map((engine, index) => ({ engine, index })))("of the engine $engine", ({ index }) => {
    expect(found.expected).toHaveLength(4);
    expect(found.read[index]).toMatchObject({ step: 7, values: found.expected });
  });

  test("are none in a graph without any", () => {
    expect(summary.mergeAll(new Graph())).toBeUndefined();
  });
});
