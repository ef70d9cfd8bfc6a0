import { appendFile, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProblemError } from "../../../../main/api/wire.js";
import { Access } from "../../../../main/hosts/headless/access.js";
import { loadIdentity } from "../../../../main/peers/identity/identity.js";
import { log, openLog } from "../../../../main/shared/log/log.js";
import { LogFile } from "../../../../main/shared/log/log-file.js";

let folder: string;
const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-log-"));
  printed.mockClear();
});
afterEach(() => rm(folder, { recursive: true }));

describe("the log", () => {
  it("has what went wrong with its causes, what merely happened, and prints only the former", async () => {
    const { path } = openLog(folder);
    log.info("Tensordeck starts.");
    const cause = new Error("the disk is full");
    log.error("It was not kept:", new ProblemError({ code: "UNKNOWN", message: "no", details: "ENOSPC" }));
    log.error("Nor was this:", new Error("not written", { cause }));
    const text = await readFile(path, "utf8");
    expect(text).toMatch(/^\d{4}-\d\d-\d\dT\S+Z info \[\d+\] Tensordeck starts\.$/m);
    expect(text).toMatch(/Z error \[\d+\] It was not kept: ProblemError: no.*\(UNKNOWN; ENOSPC\)/s);
    expect(text).toMatch(/Error: not written.*caused by Error: the disk is full/s);
    expect(printed.mock.calls.map(([first]) => first)).toEqual(["It was not kept:", "Nor was this:"]);
    if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("has no token, secret, pairing code, key or password, in whatever they come", async () => {
    const { path } = openLog(folder);
    const access = new Access();
    const token = access.issueToken();
    const secret = access.exchange(token) ?? "";
    const { keyPem } = await loadIdentity(folder);
    const keyLines = keyPem.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
    log.info(`open http://127.0.0.1:8800/#token=${token}`);
    log.error("A request failed:", new Error(`Authorization: Bearer ${secret}`, { cause: new Error(token) }));
    log.error(`gpu-pc asks to pair; type this code there: 482913, or 482 913, or "code":"482913"`);
    log.error("It cannot be read:", new Error(keyPem));
    log.error("In JSON:", JSON.stringify({ key: keyPem, password: "hunter two" }));
    log.info("grpc://pi:raspberry@192.168.1.20:2222 --api-key=abcd");
    const text = await readFile(path, "utf8");
    for (const hidden of [token, secret, "482913", "482 913", ...keyLines, "hunter", "raspberry@", "abcd"]) {
      expect(text).not.toContain(hidden);
    }
    // The parts that one needs to understand an entry stay.
    expect(text).toContain("open http://127.0.0.1:8800/#token=[left out]");
    expect(text).toContain("192.168.1.20:2222");
    expect(text.match(/gpu-pc asks to pair/g)).toHaveLength(1);
  });

  it("keeps device IDs, ids of drafts and times, which are no secrets", async () => {
    const { path } = openLog(folder);
    const { deviceId } = await loadIdentity(folder);
    const id = crypto.randomUUID();
    log.info(`${deviceId} ${id} port 50051 took 12345 ms at main.js:120:33`);
    expect(await readFile(path, "utf8")).toContain(
      `${deviceId} ${id} port 50051 took 12345 ms at main.js:120:33`,
    );
  });
});

describe("the file of the log", () => {
  it("is bounded: it is turned over, and the oldest goes", async () => {
    const path = join(folder, "logs", "t.log");
    const file = new LogFile(path, { maxFileBytes: 100 });
    for (let entry = 0; entry < 100; entry++) file.append(`entry ${entry} ${"x".repeat(20)}`);
    const names = (await readdir(join(folder, "logs"))).sort();
    expect(names).toEqual(["t.log", "t.log.1", "t.log.2", "t.log.3"]);
    const newest = await readFile(path, "utf8");
    expect(newest).toContain("entry 99 ");
    for (const name of names) expect((await stat(join(folder, "logs", name))).size).toBeLessThan(200);
  });

  it("is shared: what another process turned over is not written to any more", async () => {
    const path = join(folder, "t.log");
    const [one, other] = [1, 2].map(() => new LogFile(path, { maxFileBytes: 100 }));
    one?.append("x".repeat(120));
    other?.append("of the other");
    one?.append("of the first");
    expect(await readFile(path, "utf8")).toBe("of the other\nof the first\n");
  });

  it("bounds what one message, and what a loop of messages, takes", async () => {
    const path = join(folder, "t.log");
    let now = 0;
    const file = new LogFile(path, { now: () => now });
    file.append("y".repeat(1 << 20));
    expect((await stat(path)).size).toBeLessThan(20_000);
    for (let entry = 0; entry < 5000; entry++) file.append("again");
    const lines = (await readFile(path, "utf8")).trim().split("\n");
    expect(lines.length).toBeLessThan(1000);
    expect(lines.at(-1)).toBe("Further entries in this minute are left out.");
    now += 60_000;
    file.append("later");
    expect(await file.tail(6)).toBe("later\n");
  });

  it("cannot be made to hold a forged entry", async () => {
    const path = join(folder, "t.log");
    new LogFile(path).append("one\n2026-01-01T00:00:00.000Z error [1] forged");
    expect(await readFile(path, "utf8")).toBe("one\n    2026-01-01T00:00:00.000Z error [1] forged\n");
  });

  it("gives its newest whole entries, and none where it is not there", async () => {
    const path = join(folder, "t.log");
    const file = new LogFile(path);
    expect(await file.tail(100)).toBe("");
    await appendFile(path, "first entry\nsecond\nthird\n");
    expect(await file.tail(15)).toBe("second\nthird\n");
  });

  it("costs nothing else when it cannot be written", () => {
    const file = new LogFile(join(folder, "\0", "t.log"));
    expect(() => file.append("lost")).not.toThrow();
  });
});
