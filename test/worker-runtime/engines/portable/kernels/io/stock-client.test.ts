import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeServerDef } from "../../../../../../worker-runtime/cluster/server-def.js";
import { PortableServer } from "../../../../../../worker-runtime/engines/portable/portable-server.js";
import { peerMissing } from "../../../../../support/peers.js";
import { tensorflowResult } from "../../../../../support/tensorflow-script.js";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-saver-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

// The same graph once in TensorFlow itself and once on the server: seeds make both draw the same numbers.
const script = `
import os, sys, json
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
target, folder = sys.argv[1:3]
v1.set_random_seed(5)
w = v1.get_variable("w", initializer=v1.random_normal([3, 2], seed=7), use_resource=True)
b = v1.get_variable("b", initializer=v1.truncated_normal([4], seed=8), use_resource=False)
p = v1.get_variable("p", initializer=tf.reshape(tf.range(12.), [6, 2]), partitioner=v1.fixed_size_partitioner(3))
u = v1.random_uniform([3], seed=9)
one = tf.constant([1], tf.int32)
loud = v1.Print(one, [one], "portion is ")
init = v1.global_variables_initializer()
savers = [v1.train.Saver([w, b, p]), v1.train.Saver([w, b, p], sharded=True)]
def draw(session):
    session.run(init)
    return session.run([w, b]) + [session.run(u), session.run([u, one])[0], session.run(u)]
with v1.Session() as session:
    expected = draw(session)
with v1.Session(target) as session:
    actual = draw(session)
    session.run(loud)
    paths = [saver.save(session, folder + "/%d/model" % i, global_step=3) for i, saver in enumerate(savers)]
    restored = []
    for saver, path in zip(savers, paths):
        session.run(init)
        session.run(tf.raw_ops.AssignVariableOp(resource=w.handle, value=tf.zeros([3, 2])))
        saver.restore(session, path)
        restored.append(bool(np.array_equal(session.run(w), actual[0])))
    old = []
    for sharded in [False, True]:
        # SaveSlices, which writes version 1, is run by TensorFlow itself.
        saver = v1.train.Saver([w, b, p], sharded=sharded, write_version=v1.train.SaverDef.V1)
        with v1.Session() as local:
            local.run(init)
            before = local.run([w, b, tf.convert_to_tensor(p)])
            path = saver.save(local, folder + "/old-%d" % sharded)
        session.run(tf.raw_ops.AssignVariableOp(resource=w.handle, value=tf.zeros([3, 2])))
        saver.restore(session, path)
        after = session.run([w, b, tf.convert_to_tensor(p)])
        old.append(all(np.array_equal(x, y) for x, y in zip(before, after)))
    try:
        savers[0].save(session, os.path.dirname(folder) + "/tensordeck-not-allowed/model")
        refused = ""
    except tf.errors.PermissionDeniedError as error:
        refused = "PERMISSION_DENIED"
with v1.Session() as session:
    savers[1].restore(session, paths[1])
    elsewhere = bool(np.array_equal(session.run(w), actual[0]))
print("RESULT " + json.dumps({
    "draws": max(float(np.abs(x - y).max()) for x, y in zip(expected, actual)),
    "restored": restored, "old": old, "elsewhere": elsewhere, "refused": refused,
    "p": tf.train.load_checkpoint(paths[0]).get_tensor("p").ravel().tolist()}))
`;

describe.skipIf(peerMissing("tensorflow"))("a stock client on the portable engine", () => {
  test("draws TensorFlow's numbers, saves and restores with its Saver", async () => {
    const lines: string[] = [];
    const server = await PortableServer.start({
      serverDef: makeServerDef({ cluster: { local: ["localhost:0"] } }),
      files: [folder],
      log: (line) => lines.push(line),
    });
    try {
      const args = [server.target, folder];
      const result = await tensorflowResult<{ draws: number }>(script, { args });
      expect(result).toEqual({
        draws: expect.any(Number),
        restored: [true, true],
        old: [true, true],
        elsewhere: true,
        refused: "PERMISSION_DENIED",
        p: [...Array(12).keys()],
      });
      expect(result.draws).toBeLessThan(1e-6);
    } finally {
      await server.stop();
    }
    expect(lines).toContain("portion is [1]");
    expect((await readdir(join(folder, "1"))).sort()).toEqual([
      "checkpoint",
      "model-3.data-00000-of-00001",
      "model-3.index",
      "model-3.meta",
    ]);
  });
});
