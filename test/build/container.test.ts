/** The container image, which no test builds: its file is parsed, and its program is run. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { Copy, DockerfileParser } from "dockerfile-ast";
import { expect, test } from "vitest";
import { NEWEST_LTS } from "../../build/lib/node-versions.mjs";
import { START_FLAGS } from "../../worker-runtime/engines/portable/v8-flags.js";
import { environmentWithoutProxies, freePort, repositoryRoot, spawnPeer } from "../support/peers.js";

const program = join(repositoryRoot, "build", "bin", "container.mjs");
const text = readFileSync(join(repositoryRoot, "build", "container", "Dockerfile"), "utf8");
const instructions = DockerfileParser.parse(text).getInstructions();

function instruction(keyword: string): string {
  const last = instructions.filter((each) => each.getKeyword() === keyword).at(-1);
  return last?.getArgumentsContent() ?? "";
}

/** The words of the form of an instruction that no shell splits. */
function words(keyword: string): string[] {
  return JSON.parse(/\[.*\]$/s.exec(instruction(keyword))?.[0] ?? "[]") as string[];
}

test("the image is made in two stages and runs the packaged program, not as root", () => {
  const keywords = instructions.map((each) => each.getKeyword());
  expect(keywords.filter((keyword) => keyword === "FROM")).toHaveLength(2);
  expect(keywords.at(-1)).toBe("ENTRYPOINT");
  const final = instructions.slice(keywords.lastIndexOf("FROM"));
  // Nothing of the sources or of the tools that built it.
  const copied = final.filter((each) => each instanceof Copy);
  expect(copied.map((each) => [each.getFromFlag()?.getValue(), each.getArgumentsContent()])).toEqual([
    ["build", "/opt/tensordeck /opt/tensordeck"],
  ]);
  expect(final.some((each) => each.getKeyword() === "ADD")).toBe(false);
  expect(instruction("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);

  const path = words("ENTRYPOINT").at(-1) ?? "";
  expect(words("ENTRYPOINT")).toEqual(["node", ...START_FLAGS, path]);
  expect(instruction("FROM")).toBe(`node:${NEWEST_LTS}-bookworm-slim`);
  const inPackage = posix.relative("/opt/tensordeck/lib/node_modules/tensordeck", path);
  expect(existsSync(join(repositoryRoot, inPackage))).toBe(true);
  expect(join(repositoryRoot, inPackage)).toBe(program);
  expect(words("HEALTHCHECK")).toEqual(["node", path, "--check"]);
});

test("TF_CONFIG makes it a worker, whose health it tells; commands are passed on", async () => {
  const port = await freePort();
  const environment = {
    ...environmentWithoutProxies(),
    TF_CONFIG: JSON.stringify({
      cluster: { worker: [`localhost:${port}`] },
      task: { type: "worker", index: 0 },
    }),
  };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], { env: environment, encoding: "utf8" });
  expect(run("--check")).toMatchObject({ status: 1 });
  const worker = await spawnPeer(process.execPath, [program], { ready: /^target grpc/m, env: environment });
  expect(run("--check")).toMatchObject({ status: 0, stdout: `localhost:${port} serves\n` });
  expect(run("--version").stdout).toMatch(/^tensordeck \d+\.\d+\.\d+$/m);
  await worker.stop();
});
