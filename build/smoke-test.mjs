// `node build/smoke-test.mjs`: starts the packaged program of this system from build/dist, waits until its window is
// shown, and runs a worker with the packaged Node. For the workflow: it needs a real Electron and a display (on Linux it
// uses xvfb-run where there is none).
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { noDisplayReason } from "./lib/display.mjs";
import { packageFolders } from "./lib/dist/package-folders.mjs";
import { chosenTargets } from "./lib/dist/targets.mjs";
import { programPath } from "./lib/programs.mjs";
import { BuildError, main, root } from "./lib/project.mjs";

const WINDOW_WITHIN_MILLIS = 60_000;
const SHOWN = "The window is shown.";

/** The log in which the window reports itself; a started desktop program has no output that could be read everywhere. */
async function windowIsShown(log, child) {
  for (const began = performance.now(); performance.now() - began < WINDOW_WITHIN_MILLIS; await delay(200)) {
    if (existsSync(log) && readFileSync(log, "utf8").includes(SHOWN)) return performance.now() - began;
    if (child.exitCode !== null) throw new BuildError(`The program ended with code ${child.exitCode}.`);
  }
  throw new BuildError(
    `No window was shown within ${WINDOW_WITHIN_MILLIS / 1000} s.`,
    existsSync(log) ? `Its log:\n${readFileSync(log, "utf8")}` : "There is no log.",
  );
}

async function testWindow(program) {
  const dataDir = mkdtempSync(join(tmpdir(), "tensordeck-smoke-"));
  // An unpacked folder has no sandbox helper that belongs to root; an installed package does.
  const args = process.platform === "linux" ? ["--no-sandbox"] : [];
  const virtual = process.platform === "linux" && noDisplayReason() !== undefined;
  const [command, ...rest] = virtual ? [programPath("xvfb-run"), "-a", program, ...args] : [program, ...args];
  const child = spawn(command, rest, {
    env: { ...process.env, TENSORDECK_DATA_DIR: dataDir, TENSORDECK_NETWORK: "off" },
    stdio: "inherit",
  });
  try {
    const millis = await windowIsShown(join(dataDir, "logs", "tensordeck.log"), child);
    console.log(`The window was shown after ${(millis / 1000).toFixed(1)} s.`);
  } finally {
    if (child.exitCode === null) {
      child.kill();
      await once(child, "exit");
    }
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function testWorker({ node, outside }) {
  const command = join(outside, "build", "bin", "tensordeck.mjs");
  const worker = spawn(node, [command, "worker", "--engine", "portable"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface({ input: worker.stdout })) {
      const [, address] = /^target grpc:\/\/(\S+)$/.exec(line) ?? [];
      if (address === undefined) continue;
      const health = spawnSync(node, [command, "health", address], { encoding: "utf8" });
      if (health.status !== 0) throw new BuildError(`The worker does not serve: ${health.stderr}`);
      console.log(health.stdout.trim());
      return;
    }
    throw new BuildError("The worker ended before it served.");
  } finally {
    worker.kill();
  }
}

await main(async () => {
  const [target] = chosenTargets({});
  const folders = packageFolders(join(root, "build", "dist"), target);
  if (!existsSync(folders.program)) {
    throw new BuildError(`${folders.program} does not exist.`, "Make the package first: npm run dist");
  }
  await testWorker(folders);
  await testWindow(folders.program);
});
