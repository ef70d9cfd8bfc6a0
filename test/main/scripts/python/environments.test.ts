import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { environmentFor, installSteps } from "../../../../main/scripts/python/environments.js";
import { environmentPython } from "../../../../main/scripts/python/find-script-python.js";
import { environmentKey, findRequirements } from "../../../../main/scripts/python/requirements.js";
import { scriptPython } from "../../../../main/scripts/python/script-python.js";
import { findPythons } from "../../../../worker-runtime/engines/tensorflow/find-python.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tensordeck-environment-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

const list = (text: string) => writeFile(join(root, "requirements.txt"), text);

/** A package of one module, so that no index is needed. */
async function writeWheel(): Promise<void> {
  const info = "deck_demo-1.0.dist-info";
  const files = {
    "deck_demo.py": "answer = 42\n",
    [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: deck-demo\nVersion: 1.0\n",
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: `deck_demo.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  };
  const zip = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  await writeFile(join(root, "deck_demo-1.0-py3-none-any.whl"), zip);
}

function asked(signal = new AbortController().signal) {
  const progress: string[] = [];
  const options = {
    ...{ folder: root, environments: join(root, "environments"), signal },
    onProgress: (text: string) => progress.push(text),
  };
  return { options, progress };
}

describe("the requirements of a script", () => {
  it("are the most exact file of its folder, or the one chosen", async () => {
    expect(findRequirements(root)).toBeUndefined();
    await list("");
    expect(findRequirements(root)).toEqual({ file: join(root, "requirements.txt"), kind: "list" });
    await writeFile(join(root, "uv.lock"), "");
    expect(findRequirements(root)?.kind).toBe("uv-lock");
    expect(findRequirements(root, "requirements.txt")?.kind).toBe("list");
  });

  it("have a key that changes with them, what they include, and the Python", async () => {
    await list("-r base.txt\n");
    await writeFile(join(root, "base.txt"), "numpy==1\n");
    const requirements = { file: join(root, "requirements.txt"), kind: "list" } as const;
    const key = await environmentKey(requirements, "/usr/bin/python3", "3.11");
    expect(await environmentKey(requirements, "/usr/bin/python3", "3.11")).toBe(key);
    expect(await environmentKey(requirements, "/usr/bin/python3", "3.12")).not.toBe(key);
    await writeFile(join(root, "base.txt"), "numpy==2\n");
    expect(await environmentKey(requirements, "/usr/bin/python3", "3.11")).not.toBe(key);
    // PowerShell's > writes UTF-16, which pip reads, too.
    await writeFile(requirements.file, Buffer.from("\ufeff-r base.txt\r\n", "utf16le"));
    const encoded = await environmentKey(requirements, "/usr/bin/python3", "3.11");
    await writeFile(join(root, "base.txt"), "numpy==3\n");
    expect(await environmentKey(requirements, "/usr/bin/python3", "3.11")).not.toBe(encoded);
    await rm(join(root, "base.txt"));
    await expect(environmentKey(requirements, "p", "3.11")).rejects.toThrow("base.txt could not be read");
  });
});

describe("the installer", () => {
  const requirements = { file: "/job/requirements.txt", kind: "list" } as const;

  it("is uv where that is there, otherwise venv and pip", () => {
    const [first, second] = installSteps("/env", requirements, "python3", "/bin/uv");
    expect(first?.command.slice(0, 2)).toEqual(["/bin/uv", "venv"]);
    expect(second?.command).toContain("/job/requirements.txt");
    expect(installSteps("/env", requirements, "python3", undefined)[0]?.command).toEqual([
      "python3",
      "-m",
      "venv",
      "/env",
    ]);
  });

  it("of a lock file of uv is uv", () => {
    const lock = { file: "/job/uv.lock", kind: "uv-lock" } as const;
    expect(installSteps("/env", lock, "python3", "/bin/uv")[0]?.env).toMatchObject({
      UV_PROJECT_ENVIRONMENT: "/env",
    });
    expect(() => installSteps("/env", lock, "python3", undefined)).toThrow("only by uv");
  });
});

describe("the environment of a script", async () => {
  const pythons = await findPythons();

  describe.skipIf(pythons.length === 0)("with a Python of this machine", () => {
    it("is made once, by two jobs at the same time too", async () => {
      await writeWheel();
      await list("./deck_demo-1.0-py3-none-any.whl\n");
      const { options, progress } = asked();
      const [first, second] = await Promise.all([scriptPython(options), scriptPython(options)]);
      expect(second).toEqual(first);
      expect(progress.filter((text) => text.startsWith("making an environment"))).toHaveLength(1);
      const answer = execFileSync(first.executable, ["-c", "import deck_demo; print(deck_demo.answer)"]);
      expect(String(answer).trim()).toBe("42");
      progress.splice(0);
      expect(await scriptPython(options)).toEqual(first);
      expect(progress).toEqual([]);
    });

    it("is found by its name, its path or its folder, relative to the current one too", async () => {
      const { options } = asked();
      const [python] = pythons;
      if (!python) throw new Error("there is no Python");
      const folder = join(root, "chosen");
      execFileSync(python.executable, ["-m", "venv", "--without-pip", folder]);
      const own = environmentPython(folder);
      for (const given of [folder, own, relative(process.cwd(), folder), relative(process.cwd(), own)]) {
        expect((await scriptPython({ ...options, python: given })).executable).toBe(own);
      }
      const name = basename(python.executable);
      expect((await scriptPython({ ...options, python: name })).executable).not.toBe(own);
      await expect(scriptPython({ ...options, python: "no-such-python" })).rejects.toThrow("is no Python 3");
    });

    it("says which package could not be installed, and leaves nothing behind", async () => {
      // Python's own choice on a Windows of the west is a code page like this one.
      vi.stubEnv("PYTHONIOENCODING", "latin-1");
      await list("./größe-1.0-py3-none-any.whl\n");
      const { options } = asked();
      const failure = await scriptPython(options).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        problem: {
          message: "The packages of requirements.txt could not be installed.",
          code: "FAILED_PRECONDITION",
        },
      });
      expect(JSON.stringify(failure)).toContain("größe-1.0");
      expect(await readdir(options.environments)).toEqual([]);
    });

    it("is not left half made when the job is cancelled", async () => {
      await list("# nothing\n");
      const stop = new AbortController();
      const [python] = pythons;
      if (!python) throw new Error("there is no Python");
      const within = join(root, "environments");
      const making = environmentFor({
        ...{ within, python, uv: undefined, signal: stop.signal },
        requirements: { file: join(root, "requirements.txt"), kind: "list" },
        onProgress: () => stop.abort(),
      });
      await expect(making).rejects.toThrow();
      expect(await readdir(within)).toEqual([]);
    });

    it.each([
      ["has ended", String(2 ** 30)],
      ["had the ID that this one has now", String(process.pid)],
      ["ended before it had written its ID", ""],
    ])("is made although a process holds its lock that %s", async (_, owner) => {
      await list("# nothing\n");
      const [python] = pythons;
      if (!python) throw new Error("there is no Python");
      const within = join(root, "environments");
      const requirements = { file: join(root, "requirements.txt"), kind: "list" } as const;
      const key = await environmentKey(requirements, python.executable, python.version.join("."));
      await mkdir(within);
      const lock = join(within, `${key}.lock`);
      await writeFile(lock, owner);
      await utimes(lock, 0, 0);
      const stop = new AbortController();
      const progress: string[] = [];
      const onProgress = (text: string) => {
        progress.push(text);
        stop.abort();
      };
      const making = environmentFor({ within, python, requirements, onProgress, signal: stop.signal });
      await expect(making).rejects.toThrow();
      expect(progress).toEqual([expect.stringMatching(/^making an environment/)]);
      expect(await readdir(within)).toEqual([]);
    });

    it("is the .venv beside the script where there is one", async () => {
      await list("./no_such.whl\n");
      const [python] = pythons;
      if (!python) throw new Error("there is no Python");
      execFileSync(python.executable, ["-m", "venv", "--without-pip", join(root, ".venv")]);
      const { options } = asked();
      expect((await scriptPython(options)).executable).toContain(join(root, ".venv"));
      expect(existsSync(options.environments)).toBe(false);
    });
  });
});
