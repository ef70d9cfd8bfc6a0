import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProblemError } from "../../main/api/wire.js";
import type { Participant } from "../../main/runs/participants.js";
import { Jobs } from "../../main/runs/tensors/jobs.js";
import { TensorService } from "../../main/runs/tensors/tensor-service.js";
import { TensorStore } from "../../main/runs/tensors/tensor-store.js";
import { VariableService } from "../../main/runs/variables/variable-service.js";
import { THIS_PROGRAM } from "../../main/shared/caller.js";
import type { EngineName } from "../../worker-runtime/engines/server.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

/** A graph with variables of both kinds, and the values that its initializers give them. */
const GRAPH = `
import base64, json
import tensorflow as tf
v1 = tf.compat.v1
with tf.Graph().as_default() as graph:
    v1.get_variable("w", initializer=tf.reshape(tf.range(12, dtype=tf.float32), [3, 4]), use_resource=True)
    v1.get_variable("b", initializer=tf.constant([1.5, -2.5]), use_resource=False)
    v1.get_variable("step", initializer=tf.constant(7, tf.int64), use_resource=True)
    v1.get_variable("label", initializer=tf.constant("cat"), use_resource=False)
    graph_def = graph.as_graph_def()
print("RESULT " + json.dumps(base64.b64encode(graph_def.SerializeToString()).decode()))
`;

const LOAD = `
import json, sys
import tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
read = lambda name: reader.get_tensor(name)
print("RESULT " + json.dumps({
    "names": sorted(reader.get_variable_to_shape_map()),
    "w": read("w").tolist(), "b": read("b").tolist(), "label": read("label").decode()}))
`;

const SAVE = `
import json, sys
import tensorflow as tf
v1 = tf.compat.v1
with tf.Graph().as_default():
    v1.get_variable("w", initializer=tf.fill([3, 4], 0.25))
    v1.get_variable("step", initializer=tf.constant(99, tf.int64))
    v1.get_variable("other", initializer=tf.constant(1.0))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        print("RESULT " + json.dumps(v1.train.Saver().save(session, sys.argv[1])))
`;

interface SavedOtherwise {
  readonly graph: string;
  readonly restoreOp: string;
  readonly named: string;
  readonly own: string;
  readonly objects: string;
}

/** A Saver with names of its own, a partitioned variable, moving averages, and objects of TensorFlow 2. */
const SAVE_OTHERWISE = `
import base64, json, os, sys
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
with tf.Graph().as_default() as graph:
    weight = v1.get_variable("layer/kernel", initializer=tf.constant([1.0, 2.0]), use_resource=True)
    average = v1.get_variable("average", initializer=tf.constant([3.0, 4.0]), use_resource=True)
    parts = v1.get_variable("table", shape=[5, 2], initializer=v1.constant_initializer(8.0),
                            partitioner=v1.fixed_size_partitioner(2), use_resource=True)
    lost = v1.get_variable("lost", initializer=tf.constant(6.0), use_resource=True)
    saver = v1.train.Saver({"model/weight": weight, "table": parts})
    v1.train.Saver({"average": weight}, name="averages")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        named = saver.save(session, os.path.join(folder, "named"), write_meta_graph=False)
        own = v1.train.Saver([weight, average]).save(session, os.path.join(folder, "own"), write_meta_graph=False)
    definition = graph.as_graph_def()
objects = tf.train.Checkpoint(
    net=tf.Variable([5.0, 6.0], name="layer/kernel"), one=tf.Variable(1.0), two=tf.Variable(2.0),
).save(os.path.join(folder, "objects"))
print("RESULT " + json.dumps({
    "graph": base64.b64encode(definition.SerializeToString()).decode(),
    "restoreOp": saver.saver_def.restore_op_name, "named": named, "own": own, "objects": objects}))
`;

describe.skipIf(peerMissing("tensorflow"))("variables of a session", () => {
  let folder = "";
  let graph: Uint8Array;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-variables-"));
    graph = Buffer.from(await tensorflowResult<string>(GRAPH), "base64");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.each<EngineName>(["tensorflow", "portable"])("of the engine %s", (engine) => {
    let server: Server;
    let service: VariableService;
    let tensors: TensorService;
    const call = (): VariableService["handlers"] => service.handlers;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
      const task: Participant = {
        id: "local-0",
        name: "local/0",
        job: "local",
        index: 0,
        address: server.target.replace("grpc://", ""),
        engine: "portable",
        state: "running",
        devices: [],
        incarnation: "1",
        unusable: undefined,
      };
      const store = new TensorStore();
      const jobs = new Jobs(() => undefined);
      tensors = new TensorService(store, jobs);
      service = new VariableService({
        cluster: { membership: "fixed", tasks: () => [task], noteVariables: () => undefined },
        tensors: store,
        jobs,
        setAsideFolder: join(folder, "set-aside"),
      });
    });
    afterAll(async () => {
      await service.dispose();
      await server.stop();
    });

    test("have no value first, are assigned, and are saved as TensorFlow reads them", async () => {
      const { graphId, variables } = await call()["variables.inspect"]({ graph }, THIS_PROGRAM);
      expect(variables.map(({ name, initialized }) => [name, initialized])).toEqual([
        ["w", false],
        ["b", false],
        ["step", false],
        ["label", false],
      ]);
      expect(variables[0]?.device).toMatch(/^\/job:\w+\/replica:0\/task:0\/device:CPU:0$/);
      const assign = (name: string, text: string) =>
        call()["variables.assign"]({ graphId, name, value: { kind: "literal", text } }, THIS_PROGRAM);
      await assign("w", "[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]");
      await assign("b", "[0.5, -0.25]");
      await assign("label", '"dog"');
      await expect(Promise.resolve(assign("b", "[1, 2, 3]"))).rejects.toMatchObject({
        problem: {
          message: "The value for b cannot be used.",
          reason: "The value has shape [3] (3 elements), but shape [2] is wanted.",
        },
      });

      const names = ["w", "b", "step", "label"];
      const figures = await call()["variables.figures"]({ graphId, names }, THIS_PROGRAM);
      expect(figures.map(({ name, elements }) => [name, elements])).toEqual([
        ["w", undefined],
        ["b", ["0.5", "-0.25"]],
        ["label", ["dog"]],
      ]);
      expect(figures[0]?.figures).toMatchObject({ min: 1, max: 12, mean: 6.5, notFinite: 0 });

      const { address } = await call()["variables.keep"]({ graphId, name: "w" }, THIS_PROGRAM);
      const cells = await tensors.handlers["tensors.cells"](
        {
          tensor: address,
          selection: [1, { from: 0, to: 4, step: 1 }],
          rows: { from: 0, count: 1 },
          columns: { from: 0, count: 4 },
        },
        THIS_PROGRAM,
      );
      expect(cells.values).toEqual(["5.0", "6.0", "7.0", "8.0"]);
      await expect(call()["variables.keep"]({ graphId, name: "step" }, THIS_PROGRAM)).rejects.toThrow(
        "step has no value.",
      );

      const path = join(folder, `${engine}.ckpt.index`);
      const saved = await call()["variables.save"]({ graphId, names, path, jobId: "save" }, THIS_PROGRAM);
      expect(saved).toMatchObject({ saved: 3, skipped: ["step"], prefix: join(folder, `${engine}.ckpt`) });
      expect(await tensorflowResult(LOAD, { args: [saved.prefix] })).toEqual({
        names: ["b", "label", "w"],
        w: [
          [1, 2, 3, 4],
          [5, 6, 7, 8],
          [9, 10, 11, 12],
        ],
        b: [0.5, -0.25],
        label: "dog",
      });
    });

    test("are restored from a checkpoint that TensorFlow wrote, as far as it has them", async () => {
      const prefix = await tensorflowResult<string>(SAVE, { args: [join(folder, "tf.ckpt")] });
      const { graphId } = await call()["variables.inspect"]({ graph }, THIS_PROGRAM);
      const restore = (names: string[], path = `${prefix}.index`) =>
        Promise.resolve(
          call()["variables.restore"]({ graphId, names, path, jobId: "restore" }, THIS_PROGRAM),
        );
      expect(await restore(["w", "step", "b"])).toEqual({
        ...{ restored: 2, missing: ["b"], unused: [] },
      });
      const figures = await call()["variables.figures"]({ graphId, names: ["w", "step"] }, THIS_PROGRAM);
      expect(figures.map(({ figures: found, elements }) => found?.mean ?? elements)).toEqual([0.25, ["99"]]);
      await expect(restore(["b"])).rejects.toMatchObject({
        problem: {
          message: "The checkpoint has none of these variables.",
          reason: "It has other, step, w; wanted are b.",
        },
      });
      await expect(restore(["w"], join(folder, "absent"))).rejects.toBeInstanceOf(ProblemError);
    });

    test("are restored by names of a Saver, as parts, and of objects of TensorFlow 2", async () => {
      const others = await tensorflowResult<SavedOtherwise>(SAVE_OTHERWISE, { args: [folder] });
      const { graph: definition, restoreOp } = others;
      const inspect = () =>
        call()["variables.inspect"]({ graph: Buffer.from(definition, "base64") }, THIS_PROGRAM);
      const { graphId, variables } = await inspect();
      const names = variables.map(({ name }) => name);
      expect(names).toEqual(["layer/kernel", "average", "table/part_0", "table/part_1", "lost"]);
      const restore = (path: string) =>
        call()["variables.restore"]({ graphId, names, path, restoreOp, jobId: "restore" }, THIS_PROGRAM);
      const elements = async () =>
        Object.fromEntries(
          (await call()["variables.figures"]({ graphId, names }, THIS_PROGRAM)).map((one) => [
            one.name,
            (one.elements ?? [one.figures?.mean]).map(Number),
          ]),
        );
      expect(await restore(others.named)).toEqual({
        ...{ restored: 3, missing: ["average", "lost"], unused: [] },
      });
      expect(await elements()).toEqual({
        ...{ "layer/kernel": [1, 2], "table/part_0": [8, 8, 8, 8, 8, 8], "table/part_1": [8, 8, 8, 8] },
      });
      expect(await restore(others.objects)).toEqual({
        ...{ restored: 1, missing: names.slice(1), unused: [] },
      });
      expect((await elements())["layer/kernel"]).toEqual([5, 6]);
      // The name that another Saver restores it from is that of a variable, which the file has as well.
      expect(await restore(others.own)).toMatchObject({ restored: 2 });
      expect(await elements()).toMatchObject({ "layer/kernel": [1, 2], average: [3, 4] });
      // The same variable gets the same value when it is restored alone.
      const alone = { graphId, names: ["layer/kernel"], path: others.own, jobId: "restore" };
      await call()["variables.restore"]({ ...alone, restoreOp: "averages/restore_all" }, THIS_PROGRAM);
      expect((await elements())["layer/kernel"]).toEqual([1, 2]);
    });

    test("of a cancelled save leave no file behind", async () => {
      const { graphId } = await call()["variables.inspect"]({ graph }, THIS_PROGRAM);
      const path = join(folder, `cancelled-${engine}.ckpt`);
      const window = new AbortController();
      window.abort();
      const saving = call()["variables.save"](
        { graphId, names: ["w"], path, jobId: "cancelled" },
        { gone: window.signal },
      );
      await expect(saving).rejects.toMatchObject({ codeName: "CANCELLED" });
      expect(existsSync(`${path}.index`)).toBe(false);
    });
  });
});
