import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environmentWithoutProxies, repositoryRoot, spawnPeer } from "../support/peers.js";

const OPEN_LINE = /^open http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/m;

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "tensordeck-start-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function npmStart(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const {
    DISPLAY: _x,
    WAYLAND_DISPLAY: _w,
    ELECTRON_OVERRIDE_DIST_PATH: _e,
    ...env
  } = environmentWithoutProxies();
  return await spawnPeer(
    process.execPath,
    ["build/start.mjs", ...args, "--port", "0", "--data-dir", scratch],
    {
      cwd: repositoryRoot,
      env: { ...env, ...variables },
      ready: OPEN_LINE,
    },
  );
}

/** A folder with a program where Electron's would be. */
function electronFolder(name: string, script: string): string {
  const folder = join(scratch, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "electron"), script);
  chmodSync(join(folder, "electron"), 0o755);
  return folder;
}

describe("npm start", () => {
  test("--headless serves at once, says nothing but the address, and ends on SIGTERM", async () => {
    const app = await npmStart(["--headless"], {});
    expect(app.stdout()).toMatch(/^open http\S+\n$/);
    expect((await fetch(app.match?.[0].replace(/^open /, "") ?? "")).status).toBe(200);
    expect(await app.stop()).toEqual({ code: 0, signal: null });
  });

  test.skipIf(process.platform === "win32")("ends when npm, which started it, is ended", async () => {
    const npm = await spawnPeer(
      "npm",
      ["start", "--silent", "--", "--headless", "--port", "0", "--data-dir", scratch],
      {
        cwd: repositoryRoot,
        ready: OPEN_LINE,
        group: true,
      },
    );
    const address = npm.match?.[0].replace(/^open /, "") ?? "";
    process.kill(npm.pid, "SIGTERM");
    // The pipe closes when the last process that writes to it is gone.
    await npm.exited;
    await expect(fetch(address)).rejects.toThrow();
  });

  test.skipIf(process.platform !== "linux")(
    "without a display says so, fetches nothing and serves",
    async () => {
      const app = await npmStart([], {});
      expect(app.output()).toMatch(/no display .*Serving the window to your browser instead/);
      expect(app.output()).not.toContain("Fetching");
      await app.stop();
    },
  );

  test("where Electron cannot be had says why and serves", async () => {
    const app = await npmStart([], { DISPLAY: ":1", ELECTRON_OVERRIDE_DIST_PATH: join(scratch, "nowhere") });
    expect(app.output()).toMatch(/ELECTRON_OVERRIDE_DIST_PATH is .*nowhere.*Serving the window/);
    await app.stop();
  });

  test("does not wait for Electron when told not to", async () => {
    const { ELECTRON_OVERRIDE_DIST_PATH: override } = process.env;
    const app = await npmStart([], {
      DISPLAY: ":1",
      TENSORDECK_ELECTRON_WAIT_SECONDS: "0",
      ...(override === undefined ? {} : { ELECTRON_OVERRIDE_DIST_PATH: join(scratch, "nowhere") }),
    });
    expect(app.output()).toContain("Serving the window to your browser instead");
    await app.stop();
  });

  test.skipIf(process.platform === "win32")("where Electron cannot start says why and serves", async () => {
    const folder = electronFolder("failing", "#!/bin/sh\necho 'libgtk-3.so.0: cannot open' >&2\nexit 127\n");
    const app = await npmStart([], { DISPLAY: ":1", ELECTRON_OVERRIDE_DIST_PATH: folder });
    expect(app.output()).toMatch(/Electron ended with code 127 .*libgtk-3\.so\.0: cannot open/);
    await app.stop();
  });

  test.skipIf(process.platform === "win32")("ends with Electron when that opened its window", async () => {
    const folder = electronFolder("closing", '#!/bin/sh\necho "node $TENSORDECK_NODE"\nexit 0\n');
    const app = await spawnPeer(process.execPath, ["build/start.mjs"], {
      cwd: repositoryRoot,
      env: { ...environmentWithoutProxies(), DISPLAY: ":1", ELECTRON_OVERRIDE_DIST_PATH: folder },
    });
    expect(await app.exited).toEqual({ code: 0, signal: null });
    // Tasks are to run in this Node, not in Electron's.
    expect(app.stdout()).toContain(`node ${process.execPath}`);
    expect(app.stdout()).not.toContain("open http");
  });
});

describe("the build", () => {
  async function build(folder: string, event: string) {
    const run = await spawnPeer(process.execPath, [join(folder, "build", "build.mjs")], {
      env: { ...environmentWithoutProxies(), npm_lifecycle_event: event },
    });
    return { ...(await run.exited), output: run.output() };
  }

  test("does nothing when nothing has changed", async () => {
    expect((await build(repositoryRoot, "build")).code).toBe(0);
    const { code, output } = await build(repositoryRoot, "build");
    expect(code).toBe(0);
    expect(output).toContain("Up to date");
  });

  test("lets an installation without build tools pass, but says what it lacks when asked to build", async () => {
    const folder = join(scratch, "production");
    mkdirSync(join(folder, "build"), { recursive: true });
    cpSync(join(repositoryRoot, "package.json"), join(folder, "package.json"));
    cpSync(join(repositoryRoot, "build", "build.mjs"), join(folder, "build", "build.mjs"));
    cpSync(join(repositoryRoot, "build", "lib"), join(folder, "build", "lib"), { recursive: true });
    expect((await build(folder, "prepare")).code).toBe(0);
    const asked = await build(folder, "build");
    expect(asked.code).toBe(1);
    expect(asked.output).toContain("npm ci");
  });
});
