import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installCommands, serviceUnit } from "../../../main/cli/service-unit.js";
import { peerMissing } from "../../support/peers.js";

const unit = serviceUnit({
  node: process.execPath,
  program: "/opt/tensor deck/tensordeck.mjs",
  flags: ["--name", '50% "$HOME" \\box'],
  dataDir: "/var/lib/tensordeck",
  user: userInfo().username,
});

test("words reach the agent as they are", () => {
  const node = process.execPath.includes(" ") ? `"${process.execPath}"` : process.execPath;
  expect(unit).toContain(
    `ExecStart=${node} "/opt/tensor deck/tensordeck.mjs" agent --data-dir /var/lib/tensordeck ` +
      `--name "50%% \\"$$HOME\\" \\\\box"\n`,
  );
});

test("nothing in it takes the GPU away from tasks", () => {
  for (const setting of [
    "PrivateDevices",
    "DevicePolicy",
    "DeviceAllow",
    "MemoryDenyWriteExecute",
    "ProtectClock",
    "RestrictNamespaces",
  ]) {
    expect(unit).not.toMatch(new RegExp(`^${setting}=`, "m"));
  }
});

test("its install commands are comments that name the same flags", () => {
  const commands = installCommands(["tensordeck", "agent", "service", "--name", "it's a box"]);
  expect(commands).toContain("tensordeck agent service --name 'it'\\''s a box' | sudo tee");
  for (const line of commands.trim().split("\n")) expect(line).toMatch(/^#/);
});

test.skipIf(peerMissing("systemd"))("systemd understands all of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tensordeck-unit-"));
  try {
    const path = join(folder, "tensordeck.service");
    await writeFile(path, unit);
    const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", path], {
      encoding: "utf8",
    });
    const own = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("tensordeck.service"));
    expect(own).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
