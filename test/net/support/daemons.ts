/** System daemons on hosts of a test's network, each in the foreground as a process of the test. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { requirePeer } from "../../support/find-peers.js";
import type { PeerProcess } from "../../support/processes.js";
import type { Host } from "./network.js";

const BUS = "/run/dbus/system_bus_socket";

const folders: string[] = [];
afterAll(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

function configuration(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-daemon-"));
  folders.push(folder);
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Starts a system bus of the host's own, on which everybody may do everything. */
export async function startSystemBus(host: Host): Promise<PeerProcess> {
  const path = configuration(
    "bus.conf",
    `<busconfig>
      <type>system</type>
      <listen>unix:path=${BUS}</listen>
      <policy context="default">
        <allow user="*"/><allow own="*"/>
        <allow send_type="method_call"/><allow send_type="signal"/>
        <allow send_requested_reply="true"/><allow receive_requested_reply="true"/>
      </policy>
    </busconfig>`,
  );
  await host.run("mkdir", ["-p", "/run/dbus"]);
  const args = ["--nofork", "--nopidfile", "--print-address", `--config-file=${path}`];
  return host.spawn("dbus-daemon", args, { ready: /unix:path/ });
}

/** Starts avahi, and the system bus that it needs. Resolves when it has announced the host. */
export async function startAvahi(host: Host): Promise<PeerProcess> {
  requirePeer("avahi");
  await startSystemBus(host);
  const path = configuration(
    "avahi.conf",
    "[server]\nuse-ipv4=yes\nuse-ipv6=yes\n[wide-area]\nenable-wide-area=no\n",
  );
  const args = ["--no-drop-root", "--no-chroot", "--no-rlimits", "-f", path];
  return host.spawn("avahi-daemon", args, { ready: /Server startup complete/ });
}
