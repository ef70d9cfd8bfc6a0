import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  foundPath,
  matchesFileName,
  matchesGlob,
  patternOf,
} from "../../../../../../worker-runtime/engines/portable/kernels/io/glob.js";
import { ioKernels } from "../../../../../../worker-runtime/engines/portable/kernels/io/index.js";
import { AllowedFolders } from "../../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import { permissionDenied, TensorFlowError } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { runOnce, testStep } from "../kernel-runner.js";
import type { OpCase } from "../op-case.js";
import { compareSessions } from "../sessions-against-tensorflow.js";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-io-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const text = (...parts: string[]) => Tensor.of(parts, "string", [parts.length]);
const run = (op: string, inputs: Tensor[], attrs: OpCase["attrs"] = {}) =>
  runOnce(ioKernels, { op, inputs, attrs });

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: unknown) =>
      error instanceof TensorFlowError ? `${error.codeName} ${error.message}` : String(error),
  );
}

describe("checkpoints", () => {
  test("are saved in parts, merged and restored, as tf.compat.v1.train.Saver does it", async () => {
    const prefix = join(folder, "model.ckpt-3");
    const parts = [0, 1].map((shard) => `${prefix}_temp_1234/part-0000${shard}-of-00002`);
    const [name] = await run("ShardedFilename", [
      Tensor.of(`${prefix}_temp_1234/part`),
      Tensor.of(1, "int32"),
      Tensor.of(2, "int32"),
    ]);
    expect(name?.item()).toBe(parts[1]);
    await run("SaveV2", [
      Tensor.of(parts[0] ?? ""),
      text("v", "step"),
      text("4 2 0,2:-", ""),
      Tensor.of([
        [1, 2],
        [3, 4],
      ]),
      Tensor.of(3n, "int64"),
    ]);
    await run("SaveV2", [
      Tensor.of(parts[1] ?? ""),
      text("v"),
      text("4 2 2,2:-"),
      Tensor.of([
        [5, 6],
        [7, 8],
      ]),
    ]);
    await run("MergeV2Checkpoints", [text(...parts), Tensor.of(prefix)], { delete_old_dirs: true });
    expect((await readdir(folder)).sort()).toEqual([
      "model.ckpt-3.data-00000-of-00002",
      "model.ckpt-3.data-00001-of-00002",
      "model.ckpt-3.index",
    ]);
    const [whole, rows, step] = await run(
      "RestoreV2",
      [Tensor.of(prefix), text("v", "v", "step"), text("", "4 2 1,2:-", "")],
      {
        dtypes: ["float32", "float32", "int64"],
      },
    );
    expect(whole?.toArray()).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ]);
    expect(rows?.toArray()).toEqual([
      [3, 4],
      [5, 6],
    ]);
    expect(step?.item()).toBe(3n);
  });

  test("leave nothing where saving fails", async () => {
    const prefix = join(folder, "model");
    const twice = run("SaveV2", [
      Tensor.of(prefix),
      text("x", "x"),
      text("", ""),
      Tensor.of(1),
      Tensor.of(2),
    ]);
    expect(await failureOf(twice)).toBe("INVALID_ARGUMENT Adding duplicate key: x");
    expect(await readdir(folder)).toEqual([]);
  });

  test("are refused outside of the folders that are allowed", async () => {
    const step = testStep({
      files: {
        resolve: async (path) => {
          throw permissionDenied(`${path} is not in a folder that graphs may use.`);
        },
      },
    });
    const save = { op: "SaveV2", inputs: [Tensor.of(join(folder, "m")), text("x"), text(""), Tensor.of(1)] };
    expect(await failureOf(runOnce(ioKernels, save, step))).toMatch(/^PERMISSION_DENIED/);
    const read = { op: "ReadFile", inputs: [Tensor.of("/etc/passwd")] };
    expect(await failureOf(runOnce(ioKernels, read, step))).toMatch(/^PERMISSION_DENIED/);
  });
});

/** A folder with what is in the way of whoever looks for files, beside one that is out of bounds. */
async function makeObstacles(): Promise<{ readonly inside: string; readonly outside: string }> {
  const [inside, outside] = [join(folder, "inside"), join(folder, "outside")];
  await mkdir(join(inside, "sub"), { recursive: true });
  await mkdir(outside);
  await Promise.all(
    [inside, join(inside, "sub"), outside].map((folder) => writeFile(join(folder, "x.txt"), "x")),
  );
  await symlink(outside, join(inside, "out"));
  await symlink(join(outside, "x.txt"), join(inside, "out.txt"));
  await symlink("sub", join(inside, "within"));
  await symlink("nowhere", join(inside, "dangling"));
  await symlink("circle", join(inside, "circle"));
  execFileSync("mkfifo", [join(inside, "pipe")]);
  return { inside, outside };
}

/** Patterns within that folder that meet all of it. */
const OBSTACLE_PATTERNS = [
  "*",
  "*/*",
  "*/x.txt",
  "*/",
  "sub*/",
  "*/.",
  "*//x.txt",
  "*.txt/*",
  "dangl*/x",
  "pip*/x",
];

describe.skipIf(process.platform === "win32")("looking for files", () => {
  test("goes past links that lead out of the folders that graphs may use, and says whose name was refused", async () => {
    const { inside, outside } = await makeObstacles();
    const step = testStep({ files: new AllowedFolders([inside]) });
    const matching = async (...patterns: string[]) => {
      const paths = text(...patterns.map((pattern) => join(inside, pattern)));
      const [found] = await runOnce(ioKernels, { op: "MatchingFiles", inputs: [paths] }, step);
      return ((found?.toArray() ?? []) as string[]).map((path) => path.slice(inside.length + 1));
    };
    const all = ["circle", "dangling", "out", "out.txt", "pipe", "sub", "within", "x.txt"];
    expect(await matching("*")).toEqual(all);
    expect(await matching("*/x.txt", "x*")).toEqual(["sub/x.txt", "within/x.txt", "x.txt"]);
    expect(await matching("*/*", "o*/*", "*/*/*", "dangling", "circle/*")).toEqual([
      "sub/x.txt",
      "within/x.txt",
    ]);
    for (const named of ["out/*", "out.txt", "out/x.txt"]) {
      expect(await failureOf(matching("*", named))).toMatch(
        /^PERMISSION_DENIED A graph wanted to read .*out/,
      );
    }
    const elsewhere = { op: "MatchingFiles", inputs: [text(join(outside, "*"))] };
    expect(await failureOf(runOnce(ioKernels, elsewhere, step))).toMatch(/^PERMISSION_DENIED/);
  });
});

describe("files", () => {
  test("are written, found and read", async () => {
    await run("WriteFile", [Tensor.of(join(folder, "a/x1.txt")), Tensor.of("hello")]);
    await run("WriteFile", [Tensor.of(join(folder, "a/x2.txt")), Tensor.of("")]);
    await mkdir(join(folder, "b"));
    await writeFile(join(folder, "b/x1.txt"), "b");
    expect(await readFile(join(folder, "a/x1.txt"), "utf8")).toBe("hello");
    const [content] = await run("ReadFile", [Tensor.of(join(folder, "a/x1.txt"))]);
    expect(content?.item()).toBe("hello");
    const [found] = await run("MatchingFiles", [
      text(join(folder, "?/x[0-1].*"), join(folder, "a/x2.txt"), join(folder, "none*")),
    ]);
    expect(found?.toArray()).toEqual([
      join(folder, "a/x1.txt"),
      join(folder, "a/x2.txt"),
      join(folder, "b/x1.txt"),
    ]);
    expect(await failureOf(run("ReadFile", [Tensor.of(join(folder, "none"))]))).toBe(
      `NOT_FOUND ${join(folder, "none")}; No such file or directory`,
    );
  });

  test.each([
    ["*", "", true],
    ["a*b*c", "aXbYbc", true],
    ["a*b*c", "aXbYb", false],
    ["[^a-c]?", "dx", true],
    ["[!a-c]?", "ax", false],
    ["\\*", "*", true],
    ["\\*", "x", false],
    ["[a", "[a", true],
    [`${"*".repeat(50)}b`, "a".repeat(2000), false],
  ])("pattern %s and name %s", (pattern, name, expected) => {
    expect(matchesGlob(pattern, name)).toBe(expected);
  });

  test("takes both separators on Windows and gives backslashes, as TensorFlow there", () => {
    expect(patternOf("C:\\data/part-*\\x?.csv", "win32")).toBe("C:/data/part-*/x?.csv");
    expect(foundPath("C:/data/part-1/x1.csv", "win32")).toBe("C:\\data\\part-1\\x1.csv");
    expect(patternOf("/data/a\\*", "linux")).toBe("/data/a\\*");
    expect(foundPath("/data/a*\\", "linux")).toBe("/data/a*\\");
  });

  test.each([
    ["X*.CSV", "x1.csv", true, false],
    ["x[0-9].csv", "x1.csv", false, true],
    ["x[0-9]?csv", "x[0-9].csv", true, false],
  ])("file name pattern %s and %s on Windows and elsewhere", (pattern, name, onWindows, elsewhere) => {
    expect(matchesFileName(pattern, name, "win32")).toBe(onWindows);
    expect(matchesFileName(pattern, name, "linux")).toBe(elsewhere);
  });
});

describe.skipIf(peerMissing("tensorflow"))("against TensorFlow", () => {
  test("the same outcomes", async () => {
    await run("SaveV2", [
      Tensor.of(join(folder, "ours")),
      text("x", "s"),
      text("", ""),
      Tensor.of([[1, 2, 3]]),
      Tensor.of(["a", "b"]),
    ]);
    await writeFile(join(folder, "file.txt"), "content");
    const { inside } = await makeObstacles();
    const prefix = Tensor.of(join(folder, "ours"));
    const restore = (name: string, spec: string, dtype: string): OpCase => ({
      op: "RestoreV2",
      inputs: [prefix, text(name), text(spec)],
      attrs: { dtypes: [dtype] },
    });
    const cases: OpCase[] = [
      restore("x", "", "float32"),
      restore("s", "", "string"),
      restore("x", "1 3 -:1,2", "float32"),
      restore("x", "1 3 -:-", "float32"),
      restore("x", "1 3 -:1,3", "float32"),
      restore("x", "3 1 -:-", "float32"),
      restore("x", "1 3 -", "float32"),
      restore("x", "1 3", "float32"),
      restore("x", "1 y -:-", "float32"),
      restore("y", "", "float32"),
      restore("x", "", "int32"),
      {
        op: "RestoreV2",
        inputs: [Tensor.of(join(folder, "none")), text("x"), text("")],
        attrs: { dtypes: ["float32"] },
      },
      { op: "RestoreV2", inputs: [prefix, text("x", "s"), text("")], attrs: { dtypes: ["float32"] } },
      { op: "ReadFile", inputs: [Tensor.of(join(folder, "file.txt"))] },
      { op: "ReadFile", inputs: [Tensor.of(folder)] },
      { op: "ReadFile", inputs: [Tensor.of(join(folder, "none"))] },
      { op: "ReadFile", inputs: [text("a", "b")] },
      { op: "MatchingFiles", inputs: [Tensor.of(join(folder, "*"))] },
      {
        op: "MatchingFiles",
        inputs: [text(join(folder, "ours.*"), join(folder, "file.txt"), join(folder, "none"))],
      },
      ...OBSTACLE_PATTERNS.map((pattern) => ({
        op: "MatchingFiles",
        inputs: [Tensor.of(`${inside}/${pattern}`)],
      })),
      {
        op: "MatchingFiles",
        inputs: [text(...["dangling", "circle", "circle/*", "out.txt/*"].map((name) => join(inside, name)))],
      },
      { op: "MergeV2Checkpoints", inputs: [text(join(folder, "none")), Tensor.of(join(folder, "merged"))] },
      { op: "ShardedFilespec", inputs: [Tensor.of("m"), Tensor.of(12, "int32")] },
      { op: "ShardedFilename", inputs: [Tensor.of("m"), Tensor.of(3, "int32"), Tensor.of(123456, "int32")] },
    ];
    expect(await compareSessions(cases.map((one) => ({ ...one, steps: 1 })))).toEqual([]);
  });
});
