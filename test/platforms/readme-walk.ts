/** The walk-through of two machines in README.md: one computes for the other. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Host, Network } from "../net/support/network.js";
import { ownTensorflowPython, repositoryRoot } from "../support/find-peers.js";
import { environmentWithoutProxies, type PeerProcess } from "../support/processes.js";
import { TARGET } from "./stock/stock-clients.js";

/** A machine on a host of the network. */
export interface WalkingMachine {
  /** Makes the only files of its current folder. */
  write(files: Readonly<Record<string, string>>): void;
  /** Starts `tensordeck` there; resolves when it has printed the line, or at once without one. */
  tensordeck(args: readonly string[], host: Host, ready?: RegExp): Promise<PeerProcess>;
}

/** The address of the PC in README.md. */
const ADDRESS = "192.168.1.20";

/** z = 3 + 4. */
const GRAPH = `
node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 3 } } } }
node { name: "b" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 4 } } } }
node { name: "z" op: "AddV2" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
`;

/** Gives the commands in README.md to the two machines, with the address that the PC has here. */
export async function walkThroughReadme(pc: WalkingMachine, pi: WalkingMachine): Promise<void> {
  const network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
  try {
    const [pcHost, piHost] = [network.host("gpu-pc"), network.host("raspberrypi")];
    const text = readFileSync(join(repositoryRoot, "README.md"), "utf8").replaceAll(ADDRESS, pcHost.address4);
    const said = (pattern: RegExp) => pattern.exec(text)?.[1] ?? assert.fail(`README.md has no ${pattern}.`);
    const command = (prompt: string) =>
      said(new RegExp(`^${prompt}\\$ npx tensordeck (.*)$`, "m")).split(" ");
    const files = {
      "clusterspec.json": said(/`clusterspec\.json`, the same file on both machines: `(.*)`/),
      "graph.pbtxt": GRAPH,
    };
    for (const machine of [pc, pi]) machine.write(files);
    const worker = await pc.tensordeck(command("pc"), pcHost, TARGET);
    try {
      const run = await pi.tensordeck(command("pi"), piHost);
      const { code } = await run.exited;
      assert.match(run.output(), /^z:0 +float32 \[\]\r?\n7\.0$/m);
      assert.match(run.output(), /z\b.*\/job:worker\/replica:0\/task:0/);
      assert.equal(code, 0, run.output());
      const target = said(/existing Python script on the Pi: `tf\.compat\.v1\.Session\("(.*?)"\)`/);
      const script = `import tensorflow.compat.v1 as tf; tf.disable_eager_execution(); print("sum", tf.Session("${target}").run(tf.constant(3.0) + 4.0))`;
      // Python with TensorFlow is Linux's own, whichever machine this host is.
      const printed = await piHost.run(ownTensorflowPython(), ["-c", script], {
        env: environmentWithoutProxies(),
      });
      assert.match(printed, /^sum 7\.0$/m);
    } finally {
      await worker.stop();
    }
  } finally {
    await network.dispose();
  }
}
