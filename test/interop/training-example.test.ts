import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as tensordeck from "../../worker-runtime/index.js";
import { peerMissing, repositoryRoot } from "../support/peers.js";
import { type Engine, startCluster } from "./portable/clusters.js";

/** An example of the README, with the libraries that it imports as arguments. */
function example(replaced: Readonly<Record<string, string>>, index = 0): () => Promise<void> {
  const readme = readFileSync(path.join(repositoryRoot, "worker-runtime", "README.md"), "utf8");
  const section = readme.slice(readme.indexOf("## Training"));
  const code = [...section.matchAll(/```js\n(.*?)```/gs)][index]?.[1] ?? "";
  const imports = /import \{ (.*?) \} from "tensordeck";/.exec(code);
  if (!imports) throw new Error("The README has no example of training.");
  let body = code.replace(imports[0], `const { ${imports[1]} } = tensordeck;`);
  for (const [from, to] of Object.entries(replaced)) {
    expect(body).toContain(from);
    body = body.replaceAll(from, to);
  }
  const run = new Function("tensordeck", `return (async () => { ${body} })();`);
  return () => run(tensordeck) as Promise<void>;
}

interface Servers {
  readonly name: string;
  readonly engineOf: (task: string) => Engine;
  readonly isMissing: boolean;
}

const CLUSTERS: readonly Servers[] = [
  { name: "portable servers", engineOf: () => "portable", isMissing: false },
  { name: "stock servers", engineOf: () => "stock", isMissing: peerMissing("tensorflow") },
  {
    name: "a mixed cluster",
    engineOf: (task) => (task === "ps/1" ? "stock" : "portable"),
    isMissing: peerMissing("tensorflow"),
  },
];

describe.each(CLUSTERS)("the README's example of training on $name", ({ engineOf, isMissing }) => {
  test.skipIf(isMissing)("trains, with layers on two parameter servers", async () => {
    const cluster = await startCluster({ ps: 2, worker: 1 }, engineOf);
    onTestFinished(() => cluster.stop());
    const printed: number[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((value: unknown) => {
      printed.push(Number(value));
    });
    onTestFinished(() => log.mockRestore());
    const checkpoints = path.join(cluster.folder, "checkpoints");
    await example({
      "grpc://gpu-pc:2222": cluster.target("worker/0"),
      '"checkpoints"': JSON.stringify(checkpoints),
    })();
    expect(printed).toHaveLength(200);
    expect(printed.at(-1)).toBeLessThan((printed[0] ?? 0) / 20);
    expect(await tensordeck.latestCheckpoint(checkpoints)).toBe(path.join(checkpoints, "model.ckpt-200"));
  });
});

test("the README's example of layers, losses and metrics learns", async () => {
  const server = await tensordeck.Server.createLocalServer({ engine: "portable" });
  onTestFinished(() => server.stop().then(() => undefined));
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  onTestFinished(() => log.mockRestore());
  await example({ "grpc://gpu-pc:2222": server.target }, 1)();
  expect(log.mock.calls).toEqual([[1]]);
});
