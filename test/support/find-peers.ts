/**
 * What some tests need and a machine may lack: a Python with TensorFlow, the reference folder beside the repository,
 * a browser, network namespaces. Nothing here depends on vitest, so that benchmarks can use it too.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export type PeerName = "tensorflow" | "shared" | "chromium" | "namespaces";

/** The repository's root folder. */
export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Where continuous integration runs the tests, a missing peer is a failure and never a skip. */
export const underCi = process.env.CI === "true";

interface PythonWithTensorflow {
  readonly executable: string;
  /** Folder of the tensorflow package, which holds libtensorflow_cc and libtensorflow_framework. */
  readonly packageDir: string;
}

function onPath(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const candidate = join(folder, process.platform === "win32" ? `${name}.exe` : name);
    if (folder !== "" && existsSync(candidate)) return candidate;
  }
  return undefined;
}

/** Asks a Python where its tensorflow lies, without importing it: an import takes seconds, this takes 50 ms. */
function probePython(executable: string): PythonWithTensorflow | undefined {
  const script =
    "import importlib.util as u; s = u.find_spec('tensorflow'); print(s.origin if s and s.origin else '')";
  try {
    const origin = execFileSync(executable, ["-c", script], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 30_000,
    }).trim();
    return origin === "" ? undefined : { executable, packageDir: dirname(origin) };
  } catch {
    return undefined;
  }
}

let python: PythonWithTensorflow | undefined;
let pythonLookedFor = false;

function findPython(): PythonWithTensorflow | undefined {
  if (pythonLookedFor) return python;
  const named = process.env.TENSORDECK_TEST_PYTHON;
  if (named !== undefined && named !== "") {
    python = probePython(named);
    if (python === undefined) {
      throw new Error(
        `TENSORDECK_TEST_PYTHON is ${named}, which cannot be run or has no tensorflow package. ` +
          "Point it at a Python with tensorflow, or unset it.",
      );
    }
  } else {
    const inVenv = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
    const candidates = [join(repositoryRoot, ".venv", ...inVenv), onPath("python3")];
    for (const candidate of candidates) {
      if (python === undefined && candidate !== undefined && existsSync(candidate)) {
        python = probePython(candidate);
      }
    }
  }
  pythonLookedFor = true;
  return python;
}

/** A Python that can import TensorFlow, or undefined: TENSORDECK_TEST_PYTHON, the repository's .venv, python3. */
export function findTensorflowPython(): string | undefined {
  return findPython()?.executable;
}

function requirePython(): PythonWithTensorflow {
  const found = findPython();
  if (found === undefined) {
    throw new Error(
      "No Python with tensorflow was found. Make one with: " +
        "python3 -m venv .venv && .venv/bin/pip install 'tensorflow-cpu==2.21.*', or set TENSORDECK_TEST_PYTHON.",
    );
  }
  return found;
}

/** @throws Error that says how to get one, when there is no Python with TensorFlow. */
export function tensorflowPython(): string {
  return requirePython().executable;
}

/**
 * Folder of the test Python's tensorflow package: libtensorflow_cc.so.2 and libtensorflow_framework.so.2 lie in it.
 *
 * @throws Error when there is no Python with TensorFlow.
 */
export function libtensorflowDir(): string {
  return requirePython().packageDir;
}

/** The folder with reference material (TensorFlow's own tests, protocol notes) beside the repository, if it is there. */
export function sharedDir(): string | undefined {
  const folder = join(repositoryRoot, "..", "shared");
  return existsSync(join(folder, "tf-peer")) ? folder : undefined;
}

/** @throws Error when the folder is not there. */
export function requireSharedDir(): string {
  const folder = sharedDir();
  if (folder === undefined) {
    throw new Error("The folder with reference material is not beside the repository (../shared/tf-peer).");
  }
  return folder;
}

let namespaces: boolean | undefined;

/** What tests on hosts of their own call; Debian's packages are named in .ci/run. */
const namespaceTools = [
  ...["ip", "nsenter", "setpriv", "ping", "python3"],
  ...["dbus-daemon", "avahi-daemon", "avahi-browse"],
  ...["nft", "iptables", "ufw", "firewall-cmd"],
];

/** Whether this process may make network namespaces, in which tests can give hosts addresses of their own. */
export function canMakeNamespaces(): boolean {
  if (namespaces === undefined) {
    const script =
      "mount -t tmpfs tmpfs /run && ip link add one type veth peer name other && ip link add middle type bridge";
    try {
      execFileSync("unshare", ["--net", "--uts", "--mount", "sh", "-c", script], {
        stdio: "ignore",
        timeout: 10_000,
      });
      namespaces = namespaceTools.every((tool) => onPath(tool) !== undefined);
    } catch {
      namespaces = false;
    }
  }
  return namespaces;
}

/** Chromium can be had wherever Linux on x86-64 is, since a package carries it; elsewhere CHROME_PATH names one. */
function hasChromium(): boolean {
  const named = process.env.CHROME_PATH;
  if (named !== undefined && named !== "") return existsSync(named);
  return process.platform === "linux" && process.arch === "x64";
}

export function hasPeer(peer: PeerName): boolean {
  switch (peer) {
    case "tensorflow":
      return findTensorflowPython() !== undefined;
    case "shared":
      return sharedDir() !== undefined;
    case "chromium":
      return hasChromium();
    case "namespaces":
      return canMakeNamespaces();
  }
}
