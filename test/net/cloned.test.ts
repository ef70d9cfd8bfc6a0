/** Two machines that were made from one image: the data folder of the one is a copy of the other's. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing, repositoryRoot } from "../support/peers.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

const TENSORDECK = join(repositoryRoot, "build", "bin", "tensordeck.mjs");

const missing = peerMissing("namespaces");

describe.skipIf(missing)("a copied installation", { timeout: 300_000 }, () => {
  let network: Network;
  let desk: Installation;
  let original: Installation;
  let copy: Installation | undefined;
  let folder: string;

  beforeAll(async () => {
    network = await Network.create(3, { names: ["desk", "original", "copy"] });
    [desk, original] = await Promise.all([
      Installation.start(network.host("desk")),
      Installation.start(network.host("original")),
    ]);
    await desk.pairWith(original);
    folder = mkdtempSync(join(tmpdir(), "tensordeck-copy-"));
    // While it does not run: files that it writes anew would vanish in the middle of the copy. Its restart is no copy.
    await original.stop({ keep: true });
    cpSync(original.folder, folder, {
      recursive: true,
      filter: (path) => !path.endsWith("instance.json") && !path.endsWith(".sock"),
    });
    original = await Installation.start(network.host("original"), {}, original.folder);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([desk, original, copy].map((one) => one?.stop()));
    await network?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const tensordeck = (one: Installation, ...args: string[]) =>
    one.host.exec(process.execPath, [TENSORDECK, ...args], {
      env: { ...process.env, TENSORDECK_DATA_DIR: join(one.folder, "data") },
    });

  test("is told from the original, in the windows and by doctor, until it has an identity of its own", async () => {
    const id = await original.id();
    await desk.machine(id, ({ presence }) => presence === "online");

    copy = await Installation.start(network.host("copy"), {}, folder);
    expect(await copy.id()).toBe(id);
    const seen = await desk.machine(id, ({ clones }) => clones?.length === 2, 120_000);
    expect(seen.problem).toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("Two machines have the identity of"),
    });
    for (const [one, other] of [
      [original, copy],
      [copy, original],
    ] as const) {
      const own = await one.machine(id, ({ clones }) => clones !== undefined, 120_000);
      expect(own.problem?.message).toContain("Another machine has the same identity as this one");
      expect(own.clones).toHaveLength(1);
      expect(await other.id()).toBe(id);
    }
    const report = await tensordeck(original, "doctor");
    expect(report.stdout).toContain("Another machine has the same identity as this one");

    await copy.api.call("machines.newIdentity");
    await copy.stop({ keep: true });
    copy = await Installation.start(network.host("copy"), {}, folder);
    const newId = await copy.id();
    expect(newId).not.toBe(id);
    await desk.machine(newId, ({ kind }) => kind === "discovered");
    await desk.machine(id, ({ clones, presence }) => clones === undefined && presence === "online", 120_000);
    await original.machine(id, ({ clones }) => clones === undefined, 120_000);
    await desk.pairWith(copy);
  });
});
