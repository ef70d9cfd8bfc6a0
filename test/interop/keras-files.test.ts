import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { tensorsOf } from "../../worker-runtime/graph/run-choice.js";
import { importWeights, readModelFile } from "../../worker-runtime/import/import-model.js";
import { matchWeights } from "../../worker-runtime/import/keras/match-weights.js";
import type { DType } from "../../worker-runtime/protocol/dtype.js";
import { Tensor, tensorFromProto } from "../../worker-runtime/protocol/tensor.js";
import { restoreSavedModel } from "../../worker-runtime/session/saved-model/restore.js";
import { planRestore } from "../../worker-runtime/session/saved-model/restore-plan.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing, repositoryRoot } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

interface Values {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

interface Prediction {
  readonly formats: readonly string[];
  /** In the order of the model's inputs. */
  readonly feeds: readonly Values[];
  readonly outputs: readonly Values[];
}

const MODELS = [
  ...[
    "activations",
    "images",
    "any_size",
    "sequences",
    "masks",
    "shared_masks",
    "nested",
    "nested_old",
    "integers",
    "last_operators",
    "batches",
    "normalized",
  ],
  "mobilenet",
];
const TOLERANCE = 1e-4;

describe.skipIf(peerMissing("tensorflow"))("models that Keras saved", () => {
  let folder = "";
  let predictions: Readonly<Record<string, Prediction>> = {};

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tensordeck-keras-"));
    const script = readFileSync(join(repositoryRoot, "test/interop/keras-models.py"), "utf8");
    predictions = await tensorflowResult(script, { args: [folder] });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const open = (file: string) => readModelFile(readFileSync(join(folder, file)), file);

  test("all are tried", () => {
    expect(Object.keys(predictions).sort()).toEqual([...MODELS].sort());
  });

  describe.each<EngineName>(["tensorflow", "portable"])("on the engine %s", (engine) => {
    let server: Server;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
    });
    afterAll(() => server.stop());

    test.each(MODELS)("%s predicts what it does in Keras", async (model) => {
      const prediction = predictions[model];
      if (!prediction) throw new Error(`Python predicted nothing with ${model}.`);
      for (const format of prediction.formats) {
        const { metaGraph } = await open(`${model}.${format}`);
        const signature = metaGraph.signatureDef.get("serving_default");
        const [inputs, outputs] = [signature?.inputs, signature?.outputs].map((tensors) =>
          [...(tensors?.values() ?? [])].flatMap(tensorsOf),
        );
        const session = new Session(server.target, { graph: metaGraph.graphDef ?? GraphDef.create() });
        try {
          await restoreSavedModel(session, planRestore(metaGraph, "restore/"), { folder });
          const feeds = prediction.feeds.map(({ dtype, shape, values }, at): [string, Tensor] => [
            inputs?.[at] ?? "",
            Tensor.of(values, dtype, shape),
          ]);
          const { values } = await session.run(outputs ?? [], { feeds: new Map(feeds) });
          for (const [at, expected] of prediction.outputs.entries()) {
            expect(values[at]).toMatchObject({ dtype: expected.dtype, shape: expected.shape });
            const differences = expected.values.map((value, i) =>
              Math.abs(value - Number(values[at]?.at(i))),
            );
            expect.soft(Math.max(...differences), `output ${at}`).toBeLessThan(TOLERANCE);
          }
        } finally {
          await session.close();
          await Session.reset(server.target);
        }
      }
    });
  });

  test.each([
    ...["activations", "images", "sequences", "nested", "normalized"].map((model) => `${model}.weights.h5`),
    ...["sequences.keras", "sequences.h5", "nested_old.h5"],
  ])("the weights in %s suit the variables of the model", async (file) => {
    const model = file.replace(/\..*/, "");
    const { metaGraph } = await open(`${model}.${model === "nested_old" ? "h5" : "keras"}`);
    const nodes = new Map(metaGraph.graphDef?.node.map((node) => [node.name, node]));
    const variables = [...nodes.values()].filter(({ op }) => op === "VarHandleOp");
    const first = new Map(
      variables.map(({ name }) => {
        const value = nodes.get(`${name}/Initializer/initial_value`)?.attr.get("value")?.value;
        if (value?.$case !== "tensor") throw new Error(`${name} has no first value.`);
        return [name, tensorFromProto(value.value)] as const;
      }),
    );
    const named = [...first].map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
    const layers = await importWeights(readFileSync(join(folder, file)), file);
    const { values, unused } = matchWeights(named, layers);
    expect(unused).toEqual([]);
    expect([...values.keys()].sort()).toEqual([...first.keys()].sort());
    for (const [name, value] of values) expect(value.data).toEqual(first.get(name)?.data);
  });

  test.each([
    ["lambda.keras", /The layer "lambda" \(Lambda\) is Python code\. .*model\.export/],
    ["custom.keras", /The layer "doubled" \(Doubled\) is of a class that a program defines itself\./],
    ["masked.keras", /The layer "softmax\w*" \(Softmax\) takes masked steps\b/],
    ["only.weights.h5", /holds weights without a model/],
  ])("%s is refused by name", async (file, expected) => {
    await expect(open(file)).rejects.toThrow(expected);
  });
});
