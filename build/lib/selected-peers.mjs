// The peers that a test run needs: those named by the selected files in `peerMissing("…")`.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { needsRoot, PEER_NAMES } from "./peers/peers.mjs";
import { ask } from "./programs.mjs";
import { BuildError, packageDir, root } from "./project.mjs";

/** The peers named in the text of a test file. */
export function peersNamedIn(text) {
  const named = [...text.matchAll(/\bpeerMissing\(([^)]*)\)/g)].map(([, names]) => names).join();
  return PEER_NAMES.filter((name) => named.includes(`"${name}"`));
}

/** True for a test file that names a peer which only root can use. */
function isRootTest(file) {
  return peersNamedIn(readFileSync(file, "utf8")).some(needsRoot);
}

/**
 * Arguments for vitest in place of ours: `--root-tests` selects the files whose peers only root can use,
 * `--without-root-tests` leaves them out.
 *
 * @throws BuildError if files are selected in another way, too
 */
export function vitestArguments(args, scratch) {
  const chosen = args.filter((arg) => arg === "--root-tests" || arg === "--without-root-tests");
  if (chosen.length === 0) return args;
  if (args.length > 1) throw new BuildError(`${chosen[0]} must be the only argument.`);
  const files = (selectedFiles([], scratch) ?? []).filter(isRootTest).map((file) => relative(root, file));
  return chosen[0] === "--root-tests" ? files : files.flatMap((file) => ["--exclude", file]);
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
