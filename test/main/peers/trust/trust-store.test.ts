import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeCertificate } from "../../../../main/peers/identity/certificate.js";
import { identityOf } from "../../../../main/peers/identity/identity.js";
import { TRUST_FILE, TrustStore } from "../../../../main/peers/trust/trust-store.js";
import type { TrustedMachine } from "../../../../main/peers/trust/trusted-machine.js";
import { trusted } from "../../support/trusting.js";
import { until } from "../../support/until.js";

let folder: string;
const stores: TrustStore[] = [];
const file = () => join(folder, TRUST_FILE);

async function open(): Promise<TrustStore> {
  const store = await TrustStore.load(folder);
  stores.push(store);
  return store;
}

async function someone(name: string): Promise<TrustedMachine> {
  const { keyPem, certPem } = await makeCertificate();
  return trusted(identityOf(`${keyPem}${certPem}`), name);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-trust-"));
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true });
});

describe("the paired machines", () => {
  it("are there after a restart, in order", async () => {
    const store = await open();
    const [a, b] = [await someone("a"), await someone("b")];
    await Promise.all([store.put(a), store.put(b)]);
    await store.put({ ...a, grantedRole: "manage" });
    expect((await open()).all()).toEqual([{ ...a, grantedRole: "manage" }, b]);
    await store.remove(b.deviceId);
    expect((await open()).all().map(({ name }) => name)).toEqual(["a"]);
    if (process.platform !== "win32") expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it("change at once, before they are written, and tell", async () => {
    const store = await open();
    const a = await someone("a");
    const told: string[] = [];
    const stop = store.onChange((deviceId) => told.push(deviceId));
    const written = store.put(a);
    expect(store.get(a.deviceId)).toEqual(a);
    const removed = store.remove(a.deviceId);
    expect(store.get(a.deviceId)).toBeUndefined();
    expect(told).toEqual([a.deviceId, a.deviceId]);
    stop();
    await Promise.all([written, removed]);
    expect((await open()).all()).toEqual([]);
  });

  it("follow what another process writes, and keep its changes", async () => {
    const [agent, command] = [await open(), await open()];
    const [a, b] = [await someone("a"), await someone("b")];
    await agent.put(a);
    const told: string[] = [];
    agent.onChange((deviceId) => told.push(deviceId));
    await command.put(b);
    await command.preauthorise(b.deviceId, "run");
    expect(await agent.preauthorisation(b.deviceId)).toEqual({ deviceId: b.deviceId, role: "run" });
    expect(agent.all()).toEqual([a, b]);
    expect(told).toEqual([b.deviceId]);
    await command.remove(a.deviceId);
    await until("the revocation", () => agent.get(a.deviceId) === undefined);
    expect(told).toEqual([b.deviceId, a.deviceId]);
    await agent.put({ ...b, name: "c" });
    expect((await open()).all()).toEqual([{ ...b, name: "c" }]);
  });

  it("stay forgotten when that could not be written, whatever the file says", async () => {
    const store = await open();
    const [a, b] = [await someone("a"), await someone("b")];
    await store.put(a);
    await store.put(b);
    const kept = `${folder}.kept`;
    // Where the folder was is a file now: nothing can be written there.
    await rename(folder, kept);
    await writeFile(folder, "");
    await expect(store.remove(a.deviceId)).rejects.toThrow();
    await rm(folder);
    await rename(kept, folder);
    // Anybody who probes has the file read again.
    await store.preauthorisation(b.deviceId);
    expect(store.all()).toEqual([b]);
    await store.update(b.deviceId, { name: "c" });
    expect((await open()).all()).toEqual([{ ...b, name: "c" }]);
  });

  it("are not trusted again by what is learned of them, nor given back a role", async () => {
    const [agent, command] = [await open(), await open()];
    const [a, b] = [await someone("a"), await someone("b")];
    await agent.put({ ...a, grantedRole: "manage" });
    await agent.put(b);
    await command.preauthorisation(a.deviceId);
    await command.put({ ...a, grantedRole: "view" });
    await command.remove(b.deviceId);
    // Before the first one has seen that.
    await agent.update(a.deviceId, { name: "renamed" });
    await agent.update(b.deviceId, { name: "renamed" });
    expect((await open()).all()).toEqual([{ ...a, name: "renamed", grantedRole: "view" }]);
    await agent.preauthorisation(a.deviceId);
    expect(agent.all()).toEqual([{ ...a, name: "renamed", grantedRole: "view" }]);
  });

  it("can be read again whatever they say of themselves", async () => {
    const store = await open();
    const a = await someone("a");
    await store.put({ ...a, name: "n".repeat(5000), addresses: Array(100).fill("10.0.0.1") });
    await store.update(a.deviceId, { addresses: ["x".repeat(5000), "10.0.0.2"] });
    expect((await open()).get(a.deviceId)).toMatchObject({ addresses: ["10.0.0.2"] });
  });

  it("trust no machine when the file is broken, and keep it", async () => {
    await writeFile(file(), '{"machines": [');
    const told = vi.spyOn(console, "error").mockReturnValue(undefined);
    const store = await open();
    expect(told).toHaveBeenCalledWith(expect.stringContaining("nobody is trusted"));
    told.mockRestore();
    expect(store.all()).toEqual([]);
    expect(await readdir(folder)).toEqual([`${TRUST_FILE}.broken`]);
    await store.put(await someone("a"));
    // Broken while it is open: what is known stays, and is written again.
    await writeFile(file(), "{}");
    expect(await store.preauthorisation("x")).toBeUndefined();
    expect(store.all().length).toBe(1);
    await store.put(await someone("b"));
    expect(JSON.parse(await readFile(file(), "utf8")).machines.length).toBe(2);
  });

  it("forget a promise when it is kept or taken back", async () => {
    const store = await open();
    const { deviceId } = await someone("a");
    await store.preauthorise(deviceId, "view");
    await store.spendPreauthorisation(deviceId);
    expect(await (await open()).preauthorisation(deviceId)).toBeUndefined();
    await store.preauthorise(deviceId, "view");
    await store.remove(deviceId);
    expect(await (await open()).preauthorisation(deviceId)).toBeUndefined();
  });
});
