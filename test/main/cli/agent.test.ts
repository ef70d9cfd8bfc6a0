/** `tensordeck agent` as a program of its own. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AgentConnection } from "../../../main/peers/agent/agent-connection.js";
import { loadIdentity } from "../../../main/peers/identity/identity.js";
import { TrustStore } from "../../../main/peers/trust/trust-store.js";
import {
  environmentWithoutProxies,
  type PeerProcess,
  repositoryRoot,
  spawnPeer,
} from "../../support/peers.js";
import { until } from "../support/until.js";
import { openWindow } from "../support/window.js";

const program = join(repositoryRoot, "build/bin/tensordeck.mjs");
const env = { ...environmentWithoutProxies(), TENSORDECK_NETWORK: "loopback" };
let dataDir: string;

beforeAll(() => {
  const compiled = join(repositoryRoot, "build/out/program/cli/main.js");
  if (!existsSync(compiled)) throw new Error(`${compiled} does not exist. Build first: npm run build.`);
});

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-agent-cli-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

function tensordeck(...args: string[]) {
  return spawnSync(process.execPath, [program, ...args], { encoding: "utf8", env });
}

function startAgent(...args: string[]): Promise<PeerProcess> {
  return spawnPeer(process.execPath, [program, "agent", "--data-dir", dataDir, "--port", "0", ...args], {
    ready: /^agent listening on port (\d+)$/m,
    env,
  });
}

/** The words of the command that a unit starts; those with a space, as of a folder's name, are quoted. */
function startWords(unit: string): string[] {
  const line = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "";
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

test("the help lists every command, with and without the application", () => {
  const { stdout, status } = tensordeck("--help");
  expect(status).toBe(0);
  for (const name of ["worker", "run", "runtime", "agent", "doctor"])
    expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  expect(tensordeck("agent", "--help").stdout).toContain("tensordeck agent trust ID");
  expect(tensordeck("agent", "lnk").stderr).toBe(
    'INVALID_ARGUMENT: tensordeck agent has no command "lnk". Did you mean link? See tensordeck agent --help.\n',
  );
});

describe("without a running agent", () => {
  test("id is made once and stays", async () => {
    const first = tensordeck("agent", "id", "--data-dir", dataDir).stdout.trim();
    expect(first).toMatch(/^[a-z2-7]{52}$/);
    expect(tensordeck("agent", "id", "--data-dir", dataDir).stdout.trim()).toBe(first);
    expect((await loadIdentity(dataDir)).deviceId).toBe(first);
    const own = tensordeck("agent", "trust", first, "--data-dir", dataDir);
    expect(own).toMatchObject({ status: 1, stdout: "" });
    expect(own.stderr).toContain("That is the device ID of this machine.");
  });

  test("new-identity makes another one, once", () => {
    const id = () => tensordeck("agent", "id", "--data-dir", dataDir).stdout.trim();
    const before = id();
    const { stdout } = tensordeck("agent", "new-identity", "--data-dir", dataDir);
    expect(stdout).toBe(`${id()}\nThis is the new device ID of this machine. Pair it again.\n`);
    expect(id()).not.toBe(before);
  });

  test("trust keeps a device ID and its role", async () => {
    const id = "a".repeat(52);
    expect(tensordeck("agent", "trust", id, "--role", "manage", "--data-dir", dataDir).stdout).toContain(
      "without a code and will have the role manage",
    );
    const store = await TrustStore.load(dataDir);
    expect(await store.preauthorisation(id)).toEqual({ deviceId: id, role: "manage" });
    await store.close();
    expect(tensordeck("agent", "trust", "abc", "--data-dir", dataDir).status).toBe(1);
    expect(tensordeck("agent", "trust", id, "--role", "root", "--data-dir", dataDir).stderr).toContain(
      'INVALID_ARGUMENT: --role must be view, run or manage, not "root".',
    );
  });

  test("link says that none runs", () => {
    const { status, stderr } = tensordeck("agent", "link", "--data-dir", dataDir);
    expect(status).toBe(1);
    expect(stderr).toContain(
      `FAILED_PRECONDITION: Tensordeck is not running with the data folder ${dataDir}.`,
    );
  });

  test("service prints a unit, which runs the program itself and not a link to it", async () => {
    const link = join(dataDir, "tensordeck.mjs");
    await symlink(program, link);
    const { stdout: linked } = spawnSync(process.execPath, [link, "agent", "service", "--to", "systemd"], {
      ...{ encoding: "utf8", env },
    });
    expect(startWords(linked).slice(0, 3)).toEqual([process.execPath, program, "agent"]);
    const { stdout } = tensordeck("agent", "service", "--data-dir", dataDir, "--port", "2221");
    const flags = ["--data-dir", dataDir, "--port", "2221"];
    expect(startWords(stdout)).toEqual([process.execPath, program, "agent", ...flags]);
  });
});

describe("a running agent", () => {
  test("lets windows in by its links, is alone in its folder, and ends at once", async () => {
    const agent = await startAgent("--name", "pi");
    const link = tensordeck("agent", "link", "--data-dir", dataDir).stdout;
    const url = /^open (http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+)\n$/.exec(link)?.[1] ?? "";
    const window = await openWindow(url);
    expect(await window.call("machines.identity")).toMatchObject({
      deviceId: /^device ID (\S+)$/m.exec(agent.stdout())?.[1],
      name: "pi",
      agentPort: Number(agent.match?.[1]),
    });
    window.close();
    const second = tensordeck("agent", "--data-dir", dataDir);
    expect(second.status).toBe(1);
    expect(second.stderr).toContain(`Tensordeck is already running here, as process ${agent.pid}.`);
    if (process.platform !== "win32") {
      agent.child.kill("SIGUSR2");
      await agent.waitForOutput(/^open http:/m);
    }
    expect(await agent.stop("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(await readdir(dataDir)).not.toContain("instance.json");
  });

  test("answers a machine that is paired, and shows it its window", async () => {
    const guestDir = await mkdtemp(join(tmpdir(), "tensordeck-agent-guest-"));
    const host = await loadIdentity(dataDir);
    const guest = await loadIdentity(guestDir);
    const store = await TrustStore.load(dataDir);
    const { deviceId, certPem } = guest;
    const known = { deviceId, certPem, name: "laptop", addresses: [], agentPort: 2220, pairedAt: 0 };
    await store.put({ ...known, grantedRole: "manage", role: "view" });
    await store.close();
    const agent = await startAgent("--name", "pi");
    const connection = new AgentConnection({
      identity: guest,
      deviceId: host.deviceId,
      certPem: host.certPem,
      name: "pi",
      addresses: () => [`127.0.0.1:${agent.match?.[1]}`],
    });
    try {
      let samples = 0;
      connection.onSample(() => samples++);
      connection.open();
      await until("the agent is online", () => connection.facts().presence === "online");
      expect(connection.facts()).toMatchObject({ name: "pi", role: "manage", platform: process.platform });
      await until("a sample of its load", () => samples > 0);
      const window = await openWindow(await connection.openWindow());
      expect(await window.call("app.info")).toMatchObject({ host: "headless" });
      window.close();
    } finally {
      await connection.close();
      await agent.stop("SIGTERM");
      await rm(guestDir, { recursive: true });
    }
  });
});
