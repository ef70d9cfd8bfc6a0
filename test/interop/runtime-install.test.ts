/** An installation as it goes on a user's machine, from wheels in a folder instead of from an index. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Server } from "../../worker-runtime/engines/server.js";
import { findRuntimes } from "../../worker-runtime/engines/tensorflow/find.js";
import { askPython } from "../../worker-runtime/engines/tensorflow/find-python.js";
import { type InstallProgress, installRuntime } from "../../worker-runtime/engines/tensorflow/install.js";
import { checkSpace, type InstallPlan } from "../../worker-runtime/engines/tensorflow/install-plan.js";
import { StatusCode, TensorFlowError } from "../../worker-runtime/protocol/status.js";
import { libtensorflowDir, ownTensorflowPython, peerMissing } from "../support/peers.js";

const makeWheel = `
import sys, zipfile
wheel, folder, *files = sys.argv[1:]
name = "tensordeck_test_runtime-1.0"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as z:
    for f in files:
        z.write(folder + "/" + f, "tensorflow/" + f)
    z.writestr("tensorflow/notes.txt", "not kept")
    z.writestr(name + ".dist-info/METADATA", "Metadata-Version: 2.1\\nName: tensordeck-test-runtime\\nVersion: 1.0\\n")
    z.writestr(name + ".dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr(name + ".dist-info/RECORD", "")
`;

describe.skipIf(peerMissing("tensorflow"))("installing a runtime", () => {
  let folder: string;
  let whole: string;
  let damaged: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "tensordeck-install-"));
    const libraries = readdirSync(libtensorflowDir()).filter((name) =>
      /^libtensorflow_(cc|framework)\./.test(name),
    );
    whole = await wheelOf("whole", libtensorflowDir(), libraries);
    for (const name of libraries) {
      writeFileSync(path.join(folder, name), "damaged");
    }
    damaged = await wheelOf("damaged", folder, libraries);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function wheelOf(name: string, from: string, files: readonly string[]): Promise<string> {
    const wheels = mkdtempSync(path.join(folder, `${name}-`));
    const wheel = path.join(wheels, "tensordeck_test_runtime-1.0-py3-none-any.whl");
    execFileSync(ownTensorflowPython(), ["-c", makeWheel, wheel, from, ...files]);
    return wheel;
  }

  async function planOf(wheel: string, sha256?: string): Promise<InstallPlan> {
    const python = await askPython({ command: ownTensorflowPython(), args: [] });
    if (python === undefined) {
      throw new Error("The test Python does not answer.");
    }
    const hash = createHash("sha256");
    await pipeline(createReadStream(wheel), hash);
    return {
      bundle: {
        id: "test",
        version: "1.0",
        gpu: false,
        pythonVersion: "3.12",
        platforms: ["any"],
        keep: ["tensorflow/libtensorflow_(cc|framework)[.0-9a-z]*"],
        wheels: [
          {
            name: "tensordeck-test-runtime",
            version: "1.0",
            sha256: sha256 ?? hash.digest("hex"),
            bytes: 1e9,
            installedBytes: 1e9,
          },
        ],
      },
      python,
      folder: path.join(data(), "runtimes", "test"),
      downloadBytes: 1e9,
      installedBytes: 1e9,
      freeBytes: 1e12,
    };
  }

  const data = () => path.join(folder, "data");
  const environment = (wheel: string) => ({
    ...process.env,
    TENSORDECK_DATA_DIR: data(),
    TENSORDECK_LIBTENSORFLOW: undefined,
    PIP_NO_INDEX: "1",
    PIP_FIND_LINKS: path.dirname(wheel),
  });
  const leftovers = () =>
    existsSync(path.join(data(), "runtimes")) ? readdirSync(path.join(data(), "runtimes")) : [];

  async function failure(work: Promise<unknown>): Promise<TensorFlowError> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(TensorFlowError);
    expect(leftovers()).toEqual([]);
    return error as TensorFlowError;
  }

  test("another file than the pinned one is refused, and nothing stays", async () => {
    const plan = await planOf(damaged, "0".repeat(64));
    expect((await failure(installRuntime({ plan, env: environment(damaged) }))).code).toBe(
      StatusCode.DATA_LOSS,
    );
  });

  test("a library that does not load is refused, and nothing stays", async () => {
    const error = await failure(installRuntime({ plan: await planOf(damaged), env: environment(damaged) }));
    expect(error.code).toBe(StatusCode.FAILED_PRECONDITION);
    expect(error.message).toContain("is not a shared library");
  });

  test("what the index does not have is said, and nothing stays", async () => {
    const env = { ...environment(damaged), PIP_FIND_LINKS: folder };
    expect((await failure(installRuntime({ plan: await planOf(damaged), env }))).code).toBe(
      StatusCode.NOT_FOUND,
    );
  });

  test("a cancelled installation leaves nothing", async () => {
    const abort = new AbortController();
    const error = await failure(
      installRuntime({
        plan: await planOf(whole),
        env: environment(whole),
        signal: abort.signal,
        onProgress: ({ phase }) => {
          if (phase === "unpacking") {
            abort.abort();
          }
        },
      }),
    );
    expect(error.code).toBe(StatusCode.CANCELLED);
  });

  test("too small a disk is noticed before anything is downloaded", async () => {
    const plan = await planOf(damaged);
    expect(() => checkSpace({ ...plan, freeBytes: 1e9 })).toThrow("needs 2.0 GB free");
  });

  test("the libraries alone are kept, are found first, and serve", async () => {
    const seen: InstallProgress[] = [];
    const env = environment(whole);
    const runtime = await installRuntime({
      plan: await planOf(whole),
      env,
      onProgress: (progress) => seen.push(progress),
    });
    expect(runtime).toMatchObject({ source: "installed", origin: "installed by Tensordeck", gpu: false });
    expect([...new Set(seen.map(({ phase }) => phase))]).toEqual([
      "checking",
      "downloading",
      "unpacking",
      "verifying",
    ]);
    expect(leftovers()).toEqual(["test"]);
    expect(readdirSync(path.dirname(runtime.path)).every((name) => name.startsWith("libtensorflow_"))).toBe(
      true,
    );
    expect((await findRuntimes({ env }))[0]?.path).toBe(runtime.path);
    const server = await Server.createLocalServer({ library: runtime.path });
    expect(server.version).toBe(runtime.version);
    await server.stop();
  });
});
