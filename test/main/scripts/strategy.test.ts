import { describe, expect, it } from "vitest";
import { findStrategy } from "../../../main/scripts/strategy.js";

describe("the strategy of a script", () => {
  it("is the one that it makes, with its line; imports and comments do not count", () => {
    const source = [
      "import tensorflow as tf",
      "from tensorflow.distribute import MultiWorkerMirroredStrategy",
      "# MirroredStrategy would do on one machine",
      "strategy = tf.distribute.MultiWorkerMirroredStrategy()",
    ].join("\n");
    expect(findStrategy(source)).toEqual({
      ...{ kind: "multi-worker", name: "MultiWorkerMirroredStrategy", line: 4, readsFlags: false },
    });
  });

  it("is that of parameter servers, also through its coordinator", () => {
    const found = findStrategy("x = 1\nc = tf.distribute.coordinator.ClusterCoordinator(s)\n");
    expect(found).toMatchObject({ kind: "parameter-server", name: "ClusterCoordinator", line: 2 });
    expect(findStrategy("s = tf.distribute.experimental.ParameterServerStrategyV2(r)")?.kind).toBe(
      "parameter-server",
    );
  });

  it("is between-graph for what makes its own cluster, from flags or TF_CONFIG", () => {
    const flags = 'p.add_argument("--job_name")\nspec = tf.train.ClusterSpec({"ps": hosts})\n';
    expect(findStrategy(flags)).toEqual({
      ...{ kind: "between-graph", name: "ClusterSpec", line: 2, readsFlags: true },
    });
    expect(findStrategy("flags.DEFINE_string('ps_hosts', '', '')")).toMatchObject({
      ...{ kind: "between-graph", name: "--ps_hosts", line: 1, readsFlags: true },
    });
    expect(findStrategy('config = json.loads(os.environ["TF_CONFIG"])')).toMatchObject({
      ...{ kind: "between-graph", name: "TF_CONFIG", readsFlags: false },
    });
  });

  it("is one machine's for MirroredStrategy, and none for a plain script", () => {
    expect(findStrategy("s = tf.distribute.MirroredStrategy()")?.kind).toBe("one-machine");
    expect(findStrategy("print('hello')")).toBeUndefined();
  });
});
