// System packages of Debian and its derivatives. They are only installed in continuous integration.
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ask, findProgram, runShowing } from "../programs.mjs";

const RETRY_MILLIS = 5000;
/** The scripts of Debian's packages call this before they start a daemon. */
const POLICY = "/usr/sbin/policy-rc.d";
const FORBIDDEN = "#!/bin/sh\nexit 101\n";

export function isDebian() {
  return findProgram("apt-get") !== undefined && findProgram("dpkg-query") !== undefined;
}

/** The command for users to install packages. */
export function installCommand(packages) {
  return `sudo apt-get install --no-install-recommends ${packages.join(" ")}`;
}

function isInstalled(name) {
  return /^Status: .* ok installed$/m.test(ask("dpkg-query", ["-s", name]).stdout);
}

/** Runs apt-get, and retries once after a delay, since a mirror's failure is unrelated to the change under test. */
async function aptGet(args) {
  const run = () =>
    runShowing("apt-get", args, { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  const { code, signal } = await run();
  if (code === 0 || signal) return code;
  console.error(`apt-get ${args[0]} failed; trying once more in ${RETRY_MILLIS / 1000} s.`);
  await delay(RETRY_MILLIS);
  return (await run()).code;
}

/**
 * Runs a function while packages are prevented from starting daemons: no firewall or responder should start on this
 * machine. The tests start them on hosts of their own.
 */
async function withoutDaemons(action) {
  if (existsSync(POLICY)) return action();
  // An interrupt also reaches apt-get and ends it; the policy must not outlive it.
  const waitForIt = () => undefined;
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, waitForIt);
  try {
    writeFileSync(POLICY, FORBIDDEN);
    chmodSync(POLICY, 0o755);
    return await action();
  } finally {
    rmSync(POLICY, { force: true });
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, waitForIt);
  }
}

/** Installs those of the packages that are missing, as root, without starting daemons. Reports a failure. */
export async function installPackages(packages) {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  console.error(`Installing ${missing.join(" ")}`);
  const failed =
    (await aptGet(["update", "-qq"])) !== 0 ||
    (await withoutDaemons(() => aptGet(["install", "-y", "-qq", "--no-install-recommends", ...missing]))) !==
      0;
  if (failed) console.error("The packages could not be installed; apt-get says above why.");
}
