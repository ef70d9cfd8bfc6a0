import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { signatureNamed } from "../../worker-runtime/cli/run-signature.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { readGraphFile } from "../../worker-runtime/graph/graph-file.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { type RestoreProgress, restoreSavedModel } from "../../worker-runtime/session/saved-model/restore.js";
import { planRestore } from "../../worker-runtime/session/saved-model/restore-plan.js";
import { Session } from "../../worker-runtime/session/session.js";
import {
  environmentWithoutProxies,
  libtensorflowDir,
  peerMissing,
  repositoryRoot,
  spawnPeer,
} from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";
import { startCluster } from "./portable/clusters.js";

/** Writes SavedModels in every way that Python has, and what stock Python predicts with each. */
const PYTHON = `
import json, os, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
rng = np.random.RandomState(7)
path = lambda name: os.path.join(folder, name)
results = {}

def plain(value):
    return np.asarray(value).tolist()

def predicted(name, feeds, signature="serving_default"):
    loaded = tf.saved_model.load(path(name))
    out = loaded.signatures[signature](**{key: tf.constant(value) for key, value in feeds.items()})
    results[name] = {"signature": signature, "feeds": {k: [v.dtype.name if v.dtype.kind != "O" else "string", plain(v)] for k, v in feeds.items()}, "outputs": {k: plain(v.numpy()) for k, v in out.items()}}

def predicted_v1(name, feeds):
    with tf.Graph().as_default(), v1.Session() as session:
        signature = v1.saved_model.loader.load(session, ["serve"], path(name)).signature_def["serving_default"]
        out = session.run({k: i.name for k, i in signature.outputs.items()}, {signature.inputs[k].name: v for k, v in feeds.items()})
    results[name] = {"signature": "serving_default", "feeds": {k: [v.dtype.name if v.dtype.kind != "O" else "string", plain(v)] for k, v in feeds.items()}, "outputs": {k: plain(v) for k, v in out.items()}}

with open(path("vocabulary.txt"), "w") as file: file.write("alpha\\nbeta\\ngamma\\n")
with open(path("ages.csv"), "w") as file: file.write("ann,41\\nbob,7\\n")
words = np.array(["gamma", "alpha", "delta"], dtype=object)

with tf.Graph().as_default(), v1.Session() as session:
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    w = v1.get_variable("w", [3, 2], initializer=v1.random_normal_initializer(seed=1), use_resource=False)
    b = v1.get_variable("b", [2], initializer=v1.random_normal_initializer(seed=2), use_resource=True)
    parts = v1.get_variable("parts", [5, 2], initializer=v1.random_normal_initializer(seed=3), partitioner=v1.fixed_size_partitioner(3), use_resource=False)
    y = tf.add(tf.matmul(x, w) + b, tf.reduce_sum(tf.convert_to_tensor(parts), 0), name="y")
    session.run(v1.global_variables_initializer())
    v1.saved_model.simple_save(session, path("simple"), {"x": x}, {"y": y})
predicted_v1("simple", {"x": rng.randn(4, 3).astype("float32")})

with tf.Graph().as_default(), v1.Session() as session:
    words_in = v1.placeholder(tf.string, [None], name="words")
    asset = tf.constant(path("vocabulary.txt"))
    v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
    table = tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer(asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), 2)
    rows = v1.get_variable("rows", [5, 2], initializer=v1.random_normal_initializer(seed=4))
    found = tf.gather(rows, table.lookup(words_in), name="found")
    session.run([v1.global_variables_initializer(), v1.tables_initializer()])
    builder = v1.saved_model.builder.SavedModelBuilder(path("vocabulary"))
    signature = v1.saved_model.predict_signature_def({"words": words_in}, {"found": found})
    builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature}, assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS), main_op=v1.tables_initializer())
    builder.save()
predicted_v1("vocabulary", {"words": words})

class Module(tf.Module):
    def __init__(self):
        self.w = tf.Variable(rng.randn(4, 2).astype("float32"), name="w")
        self.scale = tf.Variable(3.0, dtype=tf.float64)
        self.table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path("vocabulary.txt"), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), 3)
        self.ages = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path("ages.csv"), tf.string, 0, tf.int64, 1, delimiter=","), -1)
        self.fixed = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["alpha"], [5]), -5)
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def serve(self, words):
        ids = self.table.lookup(words)
        return {"ids": ids, "rows": tf.gather(self.w, ids) * tf.cast(self.scale, tf.float32), "fixed": self.fixed.lookup(words), "ages": self.ages.lookup(tf.constant(["bob", "eve"]))}
module = Module()
tf.saved_model.save(module, path("module"), signatures=module.serve)
predicted("module", {"words": words})

layers = tf.keras.layers
model = tf.keras.Sequential([tf.keras.Input((8, 8, 3)), layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(3, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(rng.rand(32, 8, 8, 3), rng.randint(0, 3, 32), verbose=0)
# Models have export since Keras 2.13.
export = getattr(model, "export", lambda folder: tf.saved_model.save(model, folder))
export(path("keras"))
images = rng.rand(2, 8, 8, 3).astype("float32")
definition = tf.saved_model.load(path("keras")).signatures["serving_default"].structured_input_signature[1]
predicted("keras", {next(iter(definition)): images})
print("RESULT " + json.dumps(results))
`;

/** All numbers of nested arrays, in order. */
function numbersIn(value: unknown): number[] {
  return Array.isArray(value) ? value.flatMap(numbersIn) : [Number(value)];
}

interface Prediction {
  readonly signature: string;
  readonly feeds: Readonly<Record<string, readonly [dtype: "string" | "float32", value: never]>>;
  readonly outputs: Readonly<Record<string, never>>;
}

const MODELS = ["simple", "vocabulary", "module", "keras"];

describe.skipIf(peerMissing("tensorflow"))("SavedModels that Python wrote", () => {
  let folder = "";
  let predictions: Readonly<Record<string, Prediction>> = {};
  const servers = new Map<string, Server>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tensordeck-saved-"));
    predictions = await tensorflowResult(PYTHON, { args: [folder] });
    servers.set("tensorflow", await Server.start({ engine: "tensorflow", library: libtensorflowDir() }));
    // It may read no file at all: what it computes with came through the session.
    servers.set("portable", await Server.start({ engine: "portable" }));
  });

  afterAll(async () => {
    for (const server of servers.values()) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(model: string): MetaGraphDef {
    const bytes = new Uint8Array(readFileSync(join(folder, model, "saved_model.pb")));
    return readGraphFile(bytes, model).metaGraph;
  }

  async function predict(model: string, session: Session, metaGraph = open(model)) {
    const prediction = predictions[model];
    if (!prediction) throw new Error(`Python predicted nothing with ${model}.`);
    const { inputs, outputs } = signatureNamed(metaGraph, prediction.signature);
    const feeds = new Map(
      Object.entries(prediction.feeds).map(([name, [dtype, value]]) => [
        inputs.get(name) ?? name,
        Tensor.of(value, dtype),
      ]),
    );
    const { values } = await session.run([...outputs.values()], { feeds });
    return new Map([...outputs.keys()].map((name, i) => [name, values[i]]));
  }

  function expectPrediction(model: string, given: ReadonlyMap<string, Tensor | undefined>): void {
    const wanted = Object.entries(predictions[model]?.outputs ?? {});
    expect([...given.keys()].sort()).toEqual(wanted.map(([name]) => name).sort());
    for (const [name, value] of wanted) {
      const tensor = given.get(name);
      const numbers = numbersIn(value);
      const ours = numbersIn(tensor?.toArray());
      expect(ours).toHaveLength(numbers.length);
      for (const [i, number] of numbers.entries()) {
        expect(Math.abs((ours[i] ?? Number.NaN) - number)).toBeLessThanOrEqual(1e-5);
      }
    }
  }

  const target = (engine: string) => servers.get(engine)?.target ?? "";
  const inNewSession = async (
    engine: string,
    metaGraph: MetaGraphDef,
    use: (session: Session) => Promise<void>,
  ) => {
    const session = new Session(target(engine), { graph: metaGraph.graphDef ?? GraphDef.create() });
    try {
      await use(session);
    } finally {
      await session.close();
      await Session.reset(target(engine));
    }
  };

  describe.each(["tensorflow", "portable"])("on engine %s", (engine) => {
    test.each(MODELS)("%s predicts what stock Python predicts", async (model) => {
      const metaGraph = open(model);
      await inNewSession(engine, metaGraph, async (session) => {
        await expect(predict(model, session)).rejects.toThrow();
        const steps: RestoreProgress[] = [];
        const plan = planRestore(metaGraph, "restore/");
        await restoreSavedModel(session, plan, {
          folder: join(folder, model),
          onProgress: (progress) => steps.push(progress),
        });
        expectPrediction(model, await predict(model, session));
        expect(steps[0]?.done).toBe(0);
        expect(steps.at(-1)).toMatchObject({ done: plan.loads.length, bytesDone: steps[0]?.bytes });
      });
    });

    test("nothing is restored twice in a way that fails", async () => {
      const metaGraph = open("module");
      await inNewSession(engine, metaGraph, async (session) => {
        for (const prefix of ["once/", "twice/"]) {
          await restoreSavedModel(session, planRestore(metaGraph, prefix), {
            folder: join(folder, "module"),
          });
        }
        expectPrediction("module", await predict("module", session));
      });
    });
  });

  test("tensordeck run takes the names of a signature, and says what is missing", async () => {
    const run = async (model: string, ...args: string[]) => {
      const main = join(repositoryRoot, "main", "cli", "main.ts");
      const flags = ["--target", target("portable"), "--json", ...args];
      const child = await spawnPeer(
        process.execPath,
        ["--import", "tsx", main, "run", join(folder, model), ...flags],
        { cwd: repositoryRoot, env: environmentWithoutProxies() },
      );
      const { code } = await child.exited;
      return { code, stdout: child.stdout(), output: child.output() };
    };
    const words = JSON.stringify(predictions.module?.feeds.words?.[1]);
    const named = await run(
      "module",
      "--signature",
      "serving_default",
      "--feed",
      `words=${words}`,
      "--fetch",
      "ids",
    );
    expect(JSON.parse(named.stdout).fetches).toEqual({
      ids: expect.objectContaining({ values: predictions.module?.outputs.ids }),
    });
    // Without a word on it, the signature for serving is run.
    const [[input = "", [, value] = []] = []] = Object.entries(predictions.simple?.feeds ?? {});
    const suggested = await run("simple", "--feed", `${input}=${JSON.stringify(value)}`);
    expect(suggested.output).toContain("the signature serving_default");
    expect(Object.keys(JSON.parse(suggested.stdout).fetches)).toEqual(["y:0"]);
    const unrestored = await run("vocabulary", "--no-restore", "--feed", 'words=["alpha"]');
    expect(unrestored).toMatchObject({ code: 1, output: expect.stringContaining("FAILED_PRECONDITION") });
    await Session.reset(target("portable"));
  });

  test("variables and tables on several tasks, of both engines, get their values where they are", async () => {
    const pins = [
      { model: "simple", elsewhere: /^(b|parts|save\/)/ },
      { model: "module", elsewhere: /^(hash_table|Variable)/ },
    ];
    const cluster = await startCluster({ worker: 2 }, (task) => (task === "worker/0" ? "stock" : "portable"));
    try {
      for (const { model, elsewhere } of pins) {
        const metaGraph = open(model);
        for (const node of metaGraph.graphDef?.node ?? []) {
          if (elsewhere.test(node.name) && /^(Variable|VarHandle|HashTable)/.test(node.op)) {
            node.device = "/job:worker/task:1";
          }
        }
        const session = new Session(cluster.target("worker/0"), {
          graph: metaGraph.graphDef ?? GraphDef.create(),
        });
        try {
          await restoreSavedModel(session, planRestore(metaGraph, "restore/"), {
            folder: join(folder, model),
          });
          expectPrediction(model, await predict(model, session, metaGraph));
        } finally {
          await session.close();
        }
      }
    } finally {
      await cluster.stop();
    }
  });

  test("a missing folder, a damaged file and a missing vocabulary are named", async () => {
    const fails = async (model: string, damage: (at: string) => void, text: string) => {
      const at = join(folder, `damaged-${model}`);
      cpSync(join(folder, model), at, { recursive: true });
      damage(at);
      const metaGraph = open(model);
      await inNewSession("portable", metaGraph, async (session) => {
        await expect(
          restoreSavedModel(session, planRestore(metaGraph, "restore/"), { folder: at }),
        ).rejects.toThrow(join(at, text));
      });
      rmSync(at, { recursive: true });
    };
    await fails(
      "simple",
      (at) => rmSync(join(at, "variables"), { recursive: true }),
      "variables/variables.index",
    );
    await fails(
      "keras",
      (at) => truncateSync(join(at, "variables/variables.data-00000-of-00001"), 100),
      "variables/variables",
    );
    await fails("module", (at) => rmSync(join(at, "assets", "ages.csv")), "assets/ages.csv");
  });

  test("it can be cancelled between two steps", async () => {
    const metaGraph = open("keras");
    await inNewSession("portable", metaGraph, async (session) => {
      const controller = new AbortController();
      const restoring = restoreSavedModel(session, planRestore(metaGraph, "restore/"), {
        folder: join(folder, "keras"),
        onProgress: () => controller.abort(),
        signal: controller.signal,
      });
      await expect(restoring).rejects.toThrow();
      await expect(predict("keras", session)).rejects.toThrow();
    });
  });
});
