// `npm run test:nodes [MAJOR …] [-- ARGUMENTS]`: `npm test`, with these arguments, on each supported version of Node.js, or on
// those that are named, one after the other. Prints a table at the end; its last line counts the tests of all of them.
import { dirname } from "node:path";
import { addCounts, closingLine, runTests, withNode } from "./lib/ci/counted-run.mjs";
import { bringNode } from "./lib/node-binary.mjs";
import { NODE_VERSIONS, releaseOf } from "./lib/node-versions.mjs";
import { main, root } from "./lib/project.mjs";

const NONE = { passed: 0, failed: 0, skipped: 0 };

await main(async () => {
  const args = process.argv.slice(2);
  const firstOther = args.findIndex((arg) => !/^\d+$/.test(arg));
  const named = firstOther < 0 ? args : args.slice(0, firstOther);
  const further = firstOther < 0 ? [] : args.slice(firstOther);
  const releases = (named.length > 0 ? named : Object.keys(NODE_VERSIONS)).map(releaseOf);
  // All of them before the first run, which takes long: what cannot be fetched is known at once.
  const folders = [];
  for (const release of releases) folders.push(dirname(await bringNode(release)));
  const rows = [];
  let total = NONE;
  for (const [index, release] of releases.entries()) {
    console.log(`== Tests on Node.js ${release}`);
    const began = performance.now();
    const { counts } = await runTests(further, { cwd: root, env: withNode(process.env, folders[index]) });
    total = addCounts(total, counts);
    rows.push({
      "Node.js": release,
      ...counts,
      minutes: Number(((performance.now() - began) / 60_000).toFixed(1)),
    });
  }
  console.table(rows);
  if (total.failed > 0) process.exitCode = 1;
  console.log(closingLine(total));
});
