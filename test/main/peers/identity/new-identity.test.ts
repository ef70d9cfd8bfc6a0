import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadIdentity } from "../../../../main/peers/identity/identity.js";
import { renewIfAsked, requestNewIdentity } from "../../../../main/peers/identity/new-identity.js";
import { TrustStore } from "../../../../main/peers/trust/trust-store.js";
import { trusted } from "../../support/trusting.js";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-identity-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

test("an identity stays unless another one is asked for", async () => {
  const before = await loadIdentity(dataDir);
  await renewIfAsked(dataDir);
  expect((await loadIdentity(dataDir)).deviceId).toBe(before.deviceId);
});

test("a new one forgets who was paired, and keeps the tasks and the old key", async () => {
  const before = await loadIdentity(dataDir);
  const trust = await TrustStore.load(dataDir);
  await trust.put(trusted(before, "pi"));
  await trust.close();
  await writeFile(join(dataDir, "tasks.json"), JSON.stringify([{ id: "t", owner: before.deviceId }]));
  await requestNewIdentity(dataDir);
  await renewIfAsked(dataDir);

  const after = await loadIdentity(dataDir);
  expect(after.deviceId).not.toBe(before.deviceId);
  expect(await readFile(join(dataDir, "identity.pem.before"), "utf8")).toContain(before.keyPem);
  expect(JSON.parse(await readFile(join(dataDir, "tasks.json"), "utf8"))).toEqual([
    { id: "t", owner: after.deviceId },
  ]);
  expect((await readdir(dataDir)).sort()).toEqual(["identity.pem", "identity.pem.before", "tasks.json"]);
  // Once.
  await renewIfAsked(dataDir);
  expect((await loadIdentity(dataDir)).deviceId).toBe(after.deviceId);
});
