// The peers that a test run needs: those named by the selected files in `peerMissing("…")`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PEER_NAMES } from "./peers/peers.mjs";
import { ask } from "./programs.mjs";
import { packageDir, root } from "./project.mjs";

/** The peers named in the text of a test file. */
export function peersNamedIn(text) {
  const named = [...text.matchAll(/\bpeerMissing\(([^)]*)\)/g)].map(([, names]) => names).join();
  return PEER_NAMES.filter((name) => named.includes(`"${name}"`));
}

/** The files that vitest would run with these arguments; undefined if it does not report them. */
function selectedFiles(args, scratch) {
  const list = join(scratch, "files.json");
  const vitest = join(packageDir("vitest"), "vitest.mjs");
  const { ok } = ask(process.execPath, [vitest, "list", "--filesOnly", `--json=${list}`, ...args], {
    cwd: root,
  });
  if (!ok) return undefined;
  return JSON.parse(readFileSync(list, "utf8")).map(({ file }) => file);
}

/**
 * The peers of a run with these arguments for vitest: all of them unless they select files.
 *
 * @param scratch A folder for temporary files.
 */
export function selectedPeers(args, scratch) {
  const files = args.length === 0 ? undefined : selectedFiles(args, scratch);
  if (files === undefined) return PEER_NAMES;
  const needed = new Set(files.flatMap((file) => peersNamedIn(readFileSync(file, "utf8"))));
  return PEER_NAMES.filter((name) => needed.has(name));
}
