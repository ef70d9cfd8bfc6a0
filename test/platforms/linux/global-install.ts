/** `npm install --global` of the packed program, by the machine's own Node and npm. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { npmCommand } from "../../../build/lib/programs.mjs";
import { repositoryRoot } from "../../support/find-peers.js";
import { DOWNLOAD_MILLIS, type EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";
import { pairAndRun } from "./paired-machines.js";

const PREFIX = "/trial/global";

/** Two commands on a bare machine: install, and start the agent, which a PC then finds, pairs with and gives a task. */
export function globalInstall(machine: EmulatedMachine): LinuxCheck {
  return {
    name: "npm install --global of the packed program, whose agent a PC finds, pairs with and gives a part of a graph",
    form: "long",
    run: async () => {
      packInto(machine.file("/trial/tensordeck.tgz"));
      // npm is JavaScript alone: this machine's is as good as the one that comes with Node.
      const npm = dirname(dirname(realpathSync(npmCommand()[0])));
      cpSync(npm, machine.file("/trial/npm"), { recursive: true });
      const options = ["--prefix", PREFIX, "--registry", registry(), "--no-audit", "--no-fund"];
      const args = ["install", "--global", ...options, "./tensordeck.tgz"];
      const install = await machine.run("node", ["/trial/npm/bin/npm-cli.js", ...args], {
        env: { NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt" },
        hangingMillis: DOWNLOAD_MILLIS,
      });
      assert.equal(install.code, 0, install.output);
      await pairAndRun(machine, [`${PREFIX}/bin/tensordeck`, "agent"]);
    },
  };
}

/** The one that this machine's npm is set to. */
function registry(): string {
  const [npm, ...script] = npmCommand();
  return execFileSync(npm, [...script, "config", "get", "registry"], { encoding: "utf8" }).trim();
}

function packInto(file: string): void {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-packed-"));
  try {
    const [npm, ...script] = npmCommand();
    const args = [...script, "pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
    execFileSync(npm, args, { cwd: repositoryRoot, stdio: ["ignore", "ignore", "inherit"] });
    cpSync(join(folder, readdirSync(folder)[0] ?? ""), file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
