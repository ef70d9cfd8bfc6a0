// `.ci/run [--node MAJOR]`: lint, types and all tests, on the newest Node.js with long-term support, and on the oldest
// supported one the tests that depend most on Node itself; with --node, all tests on that one alone. Root makes an ordinary
// account for it, with umask 077 and a folder whose name has a space, and itself runs only the tests that need root, and some
// cases on an emulated machine with another processor. The last line counts the tests, and the lines before it name those
// that failed.
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import {
  addCounts,
  closingLine,
  readClosingLine,
  runForwarding,
  runTests,
  withNode,
} from "./lib/ci/counted-run.mjs";
import { installEmulationPackages, runEmulatedArm64 } from "./lib/ci/emulated-arm64.mjs";
import { NODE_DEPENDENT_TESTS } from "./lib/ci/node-dependent-tests.mjs";
import { makeOrdinaryAccount, withOrdinaryUmask } from "./lib/ci/ordinary-account.mjs";
import { bringNode } from "./lib/node-binary.mjs";
import { NEWEST_LTS, OLDEST_NODE, releaseOf } from "./lib/node-versions.mjs";
import { installPeerPackages } from "./lib/peers/peers.mjs";
import { npmCommand } from "./lib/programs.mjs";
import { BuildError, main, root } from "./lib/project.mjs";

const { values } = parseArgs({
  options: {
    node: { type: "string" },
    /** Given by root to the ordinary account's part: root runs the other tests itself. */
    "without-root-tests": { type: "boolean", default: false },
  },
});

const env = { ...process.env, CI: "true" };

/** Ends what runs; what was made for it is removed on the way out. */
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => interruption.abort(new BuildError(`Interrupted by ${signal}.`)));
}

/** Says what begins, and how long it took. @throws BuildError if it ends with another exit code than 0 */
async function step(title, action) {
  const began = performance.now();
  console.log(`== ${title}`);
  const code = await action();
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  if (code !== 0) throw new BuildError(`== ${title}: failed after ${seconds} s`);
  console.log(`== ${title}: ${seconds} s`);
}

const failures = new Set();

/** A step that counts. Resolves with its counts; its failures are kept for the end. */
async function countedStep(title, run) {
  let counts;
  await step(title, async () => {
    const outcome = await run();
    counts = outcome.counts;
    for (const line of outcome.failures) failures.add(line);
    return 0;
  });
  return counts;
}

const testStep = (title, args, options) => countedStep(title, () => runTests(args, options));

/** After all others: what it emulates would slow them down. */
const emulatedStep = (options) => countedStep("Linux on arm64, emulated", () => runEmulatedArm64(options));

async function runNpm(args, options) {
  const [npm, ...script] = npmCommand();
  return (await runForwarding(npm, [...script, ...args], options)).code;
}

/** npm ci gets a second try: a registry's hiccup says nothing about the change. */
async function install(options) {
  const install = () => runNpm(["ci", "--no-audit", "--no-fund"], options);
  return (await install()) && (await install());
}

async function nodeFolder(major) {
  return dirname(await bringNode(releaseOf(major)));
}

/** Everything that needs no other account, in this folder. */
async function check() {
  const major = values.node ?? NEWEST_LTS;
  const options = {
    cwd: root,
    env: withNode(env, await nodeFolder(major)),
    signal: interruption.signal,
  };
  await step("npm ci", () => install(options));
  await step("Lint", () => runNpm(["run", "--silent", "lint"], options));
  await step("Types", () => runNpm(["run", "--silent", "typecheck"], options));
  const rootTests = values["without-root-tests"] ? ["--without-root-tests"] : [];
  let counts = await testStep(`Tests on Node.js ${major}`, rootTests, options);
  if (values.node === undefined) {
    const oldest = { ...options, env: withNode(env, await nodeFolder(OLDEST_NODE)) };
    const title = `Tests of what depends on Node.js, on ${OLDEST_NODE}`;
    counts = addCounts(counts, await testStep(title, NODE_DEPENDENT_TESTS, oldest));
  }
  return values["without-root-tests"] ? counts : addCounts(counts, await emulatedStep(options));
}

/** Root's way: an ordinary account checks a copy; then root runs the tests that need it there. */
async function checkAsOrdinaryAccount() {
  await installPeerPackages();
  await installEmulationPackages();
  const account = makeOrdinaryAccount();
  try {
    const args = ["build/ci.mjs", "--without-root-tests", ...(values.node ? ["--node", values.node] : [])];
    const asAccount = { ...account.options, signal: interruption.signal };
    const checked = await withOrdinaryUmask(() => runForwarding(process.execPath, args, asAccount));
    for (const line of checked.failures) failures.add(line);
    const counts = readClosingLine(checked.end);
    const left = account.processes();
    if (left.length > 0) {
      console.log(
        `The tests left running:\n${left.map(({ pid, command }) => `  ${pid} ${command}`).join("\n")}`,
      );
    }
    account.letOthersRead();
    const node = await nodeFolder(values.node ?? NEWEST_LTS);
    const options = {
      cwd: account.project,
      env: withNode(env, join(account.project, relative(root, node))),
      signal: interruption.signal,
    };
    const asRoot = await testStep("Tests that need root", ["--root-tests"], options);
    return addCounts(addCounts(counts, asRoot), await emulatedStep(options));
  } finally {
    account.remove();
  }
}

let counts = { passed: 0, failed: 1, skipped: 0 };
await main(async () => {
  const asRoot = process.platform === "linux" && process.getuid() === 0;
  counts = await (asRoot ? checkAsOrdinaryAccount() : check());
});
if (counts.failed > 0 || counts.skipped > 0) process.exitCode = 1;
for (const line of failures) console.log(line);
console.log(closingLine(counts));
