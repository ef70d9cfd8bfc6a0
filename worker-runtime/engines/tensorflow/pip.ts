import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { neutralFolder, startProgram } from "../../programs/run-program.js";
import {
  cancelledBy,
  dataLoss,
  notFound,
  resourceExhausted,
  StatusCode,
  TensorFlowError,
  unavailable,
} from "../../protocol/status.js";
import { DISK_FULL, PYTHON_OUTPUT } from "./python-output.js";
import type { RuntimeBundle } from "./wheels.js";

const POLL_MILLIS = 200;
const KEPT_OUTPUT = 20_000;

export interface PythonRun {
  readonly executable: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * Downloads the wheels of a bundle with the user's own pip, index and certificates, held to the pinned hashes.
 * @param scratch a folder on the same disk as the result; everything is written below it.
 * @returns the wheel files.
 * @throws TensorFlowError UNAVAILABLE (no connection), NOT_FOUND (the index does not have it), DATA_LOSS (not the
 *   pinned file), RESOURCE_EXHAUSTED (disk full), CANCELLED; UNKNOWN with pip's last lines.
 */
export async function downloadWheels(
  bundle: RuntimeBundle,
  scratch: string,
  python: PythonRun,
  onBytes: (bytes: number) => void,
): Promise<string[]> {
  const folder = path.join(scratch, "wheels");
  const temporary = path.join(scratch, "tmp");
  await mkdir(folder, { recursive: true });
  await mkdir(temporary, { recursive: true });
  const requirements = path.join(scratch, "requirements.txt");
  await writeFile(
    requirements,
    bundle.wheels
      .map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}\n`)
      .join(""),
  );
  const poll = setInterval(() => {
    folderBytes(scratch).then(onBytes, () => undefined);
  }, POLL_MILLIS);
  try {
    await runPython(
      {
        ...python,
        // pip downloads to a folder below TMPDIR: on the same disk, where its growth can be watched.
        env: { ...python.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
      },
      [
        ...[
          "-m",
          "pip",
          "download",
          "--no-deps",
          "--require-hashes",
          "--only-binary=:all:",
          "--no-cache-dir",
        ],
        ...["--disable-pip-version-check", "--no-input", "--progress-bar=off"],
        ...["--implementation=cp", `--python-version=${bundle.pythonVersion}`],
        ...bundle.platforms.map((platform) => `--platform=${platform}`),
        ...[`--requirement=${requirements}`, `--dest=${folder}`],
      ],
      () => undefined,
      pipError,
    );
  } finally {
    clearInterval(poll);
  }
  return (await readdir(folder))
    .filter((name) => name.endsWith(".whl"))
    .map((name) => path.join(folder, name));
}

const unpackScript = `
import json, os, re, sys, zipfile
wheels, keep, destination = json.loads(sys.argv[1])
keep = re.compile("|".join("(?:%s)" % k for k in keep))
done = 0
for wheel in wheels:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if not keep.fullmatch(member.filename):
                continue
            target = os.path.join(destination, *member.filename.split("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with archive.open(member) as source, open(target, "wb") as sink:
                while True:
                    block = source.read(8 << 20)
                    if not block:
                        break
                    sink.write(block)
                    done += len(block)
                    print(done, flush=True)
            os.chmod(target, 0o755)
    os.remove(wheel)
`;

/** Extracts the libraries from wheels (and then removes each wheel). zipfile verifies the checksums inside. */
export async function unpackWheels(
  wheels: readonly string[],
  keep: readonly string[],
  destination: string,
  python: PythonRun,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await mkdir(destination, { recursive: true });
  await runPython(
    python,
    ["-c", unpackScript, JSON.stringify([wheels, keep, destination])],
    (line) => {
      const bytes = Number(line);
      if (Number.isFinite(bytes)) {
        onBytes(bytes);
      }
    },
    unpackError,
  );
}

/** Runs Python to its end. The child is ended when the signal aborts. */
function runPython(
  { executable, env, signal }: PythonRun,
  args: readonly string[],
  onLine: (line: string) => void,
  toError: (output: string) => TensorFlowError,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = startProgram(executable, args, {
      // Python takes modules of its working folder before its own.
      cwd: neutralFolder(),
      env: { ...env, PYTHONUNBUFFERED: "1", ...PYTHON_OUTPUT },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let partial = "";
    const keep = (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      keep(text);
      const lines = (partial + text).split("\n");
      partial = lines.pop() ?? "";
      lines.forEach(onLine);
    });
    child.stderr?.setEncoding("utf8").on("data", keep);
    const abort = () => child.kill("SIGKILL");
    if (signal?.aborted) {
      abort();
    }
    signal?.addEventListener("abort", abort, { once: true });
    child.once("error", (error) => {
      signal?.removeEventListener("abort", abort);
      reject(notFound(`${executable} cannot be started: ${error.message}.`, { cause: error }));
    });
    child.once("close", (code) => {
      signal?.removeEventListener("abort", abort);
      if (signal?.aborted) {
        reject(cancelledBy(signal.reason, "The installation"));
      } else if (code === 0) {
        resolve();
      } else {
        reject(toError(output));
      }
    });
  });
}

/** Translates pip's output into an error. */
export function pipError(output: string): TensorFlowError {
  if (/DO NOT MATCH THE HASHES/.test(output)) {
    return dataLoss(
      "The downloaded file is not the one that this version of Tensordeck expects: it was damaged in transit, or the package " +
        "index serves another one. Nothing was installed. Try again; if that does not help, look at pip's index settings (pip config list).",
    );
  }
  if (DISK_FULL.test(output)) {
    return resourceExhausted(
      "The disk became full while downloading. Nothing was installed; free some space and try again.",
    );
  }
  if (
    /NewConnectionError|Failed to establish a new connection|Name or service not known|Temporary failure in name resolution|Max retries exceeded|ReadTimeoutError|ConnectTimeoutError|Connection broken|Connection aborted|ProxyError|IncompleteRead|ProtocolError|incomplete-download/.test(
      output,
    )
  ) {
    return unavailable(
      `The download failed: ${lastError(output)}. Nothing was installed. Check the connection, ` +
        "and the proxy and index that pip uses (pip config list), and try again.",
    );
  }
  if (/No matching distribution found|Could not find a version that satisfies/.test(output)) {
    return notFound(
      `The package index that pip uses does not have the file: ${lastError(output)}. Use an index that has TensorFlow's wheels ` +
        "(pip config list shows the current one).",
    );
  }
  return new TensorFlowError(
    StatusCode.UNKNOWN,
    `pip failed, and nothing was installed: ${lastError(output)}`,
  );
}

function unpackError(output: string): TensorFlowError {
  if (DISK_FULL.test(output)) {
    return resourceExhausted(
      "The disk became full while unpacking. Nothing was installed; free some space and try again.",
    );
  }
  return dataLoss(`The wheels could not be unpacked, and nothing was installed: ${lastError(output)}`);
}

/** The last line that says "ERROR:", without the word; the last line otherwise. */
function lastError(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const error = lines.filter((line) => line.startsWith("ERROR:")).at(-1);
  return (error?.replace(/^ERROR:\s*/, "") ?? lines.at(-1) ?? "no output").replace(/\.$/, "");
}

/** Sum of the sizes of all files below a folder; files may come and go meanwhile. */
async function folderBytes(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const child = path.join(folder, entry.name);
    sum += entry.isDirectory()
      ? await folderBytes(child)
      : await stat(child).then(
          ({ size }) => size,
          () => 0,
        );
  }
  return sum;
}
