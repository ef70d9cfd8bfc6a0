// The Python with TensorFlow that the interoperability tests run against: finding one, and making one in .venv.
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ask, findProgram, runShowing } from "../programs.mjs";
import { BuildError, root } from "../project.mjs";

/** The TensorFlow whose behaviour the tests expect. */
const VERSION = "2.21";
/** The minor versions of Python 3 that it is published for. */
const FIRST_MINOR = 10;
const LAST_MINOR = 13;
/** Only Linux and Windows on x86-64 have a package without CUDA; elsewhere `tensorflow` has none either. */
export const TENSORFLOW_PACKAGE =
  process.arch === "x64" && process.platform !== "darwin" ? "tensorflow-cpu" : "tensorflow";
const REQUIREMENT = `${TENSORFLOW_PACKAGE}==${VERSION}.*`;

const venv = join(root, ".venv");
const venvPython = pythonOf(venv);

/** The Python of an environment. */
export function pythonOf(folder) {
  return join(folder, ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]));
}

/**
 * Finds a Python's tensorflow package without importing it: an import takes seconds, this a tenth of one. pip writes
 * INSTALLER when all files of a package are present, so an interrupted installation has none.
 */
const LOOK = `
import importlib.metadata as m, importlib.util as u, json, sys
spec = u.find_spec("tensorflow")
found = {"minor": sys.version_info[1] if sys.version_info[0] == 3 else -1, "origin": spec and spec.origin}
for name in ("tensorflow-cpu", "tensorflow"):
    try:
        package = m.distribution(name)
    except m.PackageNotFoundError:
        continue
    if package.read_text("INSTALLER"):
        found["version"] = package.version
        break
print(json.dumps(found))
`;

/** Succeeds if packages can be installed: pip works, and no installation was interrupted. */
const IS_USABLE = `
import importlib.metadata as m, pip, sys
torn = [d for d in m.distributions() if d.read_text("METADATA") and not d.read_text("INSTALLER")]
sys.exit(1 if torn else 0)
`;

/** A Python's report about itself; undefined if it does not run. */
function look(executable) {
  const { ok, stdout } = ask(executable, ["-c", LOOK]);
  return ok ? JSON.parse(stdout) : undefined;
}

function found(executable, origin) {
  return { executable, packageDir: dirname(origin) };
}

/** The Python that TENSORDECK_TEST_PYTHON names, with any version of TensorFlow; undefined if it is not set. */
function namedPython() {
  const named = process.env.TENSORDECK_TEST_PYTHON;
  if (!named) return undefined;
  const origin = look(named)?.origin;
  if (!origin) {
    throw new BuildError(
      `TENSORDECK_TEST_PYTHON is ${named}, which cannot be run or has no tensorflow package.`,
      "Point it at a Python with tensorflow, or unset it.",
    );
  }
  return found(named, origin);
}

/**
 * The Python with TensorFlow and the folder of its tensorflow package: TENSORDECK_TEST_PYTHON, the project's .venv, or
 * the system's python3 if it has the right TensorFlow. Undefined if there is none.
 *
 * @throws BuildError if TENSORDECK_TEST_PYTHON names something else.
 */
export function findTensorflow() {
  const named = namedPython();
  if (named !== undefined) return named;
  for (const candidate of [venvPython, findProgram("python3")]) {
    if (candidate === undefined || !existsSync(candidate)) continue;
    const { origin, version } = look(candidate) ?? {};
    if (origin && version?.startsWith(`${VERSION}.`)) return found(candidate, origin);
  }
  return undefined;
}

/** Debian ships both in a separate package. */
const HAS_VENV = "import venv, ensurepip; ensurepip.version()";

/** Why the python3 on PATH cannot run scripts in environments of their own, or undefined if it can. */
export function lackOfPython() {
  const executable = findProgram("python3");
  if (executable !== undefined && ask(executable, ["-c", HAS_VENV]).ok) return undefined;
  const why =
    executable === undefined ? "There is no python3 on PATH." : "python3 has no venv module with pip.";
  return { why, packages: ["python3-venv"] };
}

/** The Python that .venv is made with, or why there is none. */
function basePython() {
  const minors = Array.from({ length: LAST_MINOR - FIRST_MINOR + 1 }, (_, index) => LAST_MINOR - index);
  const names = ["python3", ...minors.map((minor) => `python3.${minor}`), "python"];
  const unsuitable = [];
  for (const name of names) {
    const executable = findProgram(name);
    const minor = executable && look(executable)?.minor;
    if (minor === undefined) continue;
    if (minor < FIRST_MINOR || minor > LAST_MINOR) {
      unsuitable.push(`${name} is Python ${minor < 0 ? 2 : `3.${minor}`}`);
      continue;
    }
    if (ask(executable, ["-c", HAS_VENV]).ok) return { executable };
    unsuitable.push(`${name} has no venv module with pip`);
  }
  if (unsuitable.length === 0) {
    return { why: "There is no python3 on PATH.", packages: ["python3-venv"] };
  }
  const needed = `TensorFlow ${VERSION} needs Python 3.${FIRST_MINOR} to 3.${LAST_MINOR} with venv and pip`;
  const why = `${needed}: ${unsuitable.join(", ")}.`;
  if (unsuitable.some((reason) => reason.includes("venv"))) return { why, packages: ["python3-venv"] };
  return {
    why,
    command: `TENSORDECK_TEST_PYTHON=python3.${LAST_MINOR} npm test, once that has ${REQUIREMENT}`,
  };
}

/** Why pip, or creating the environment, failed. */
function reasonOf(errors) {
  if (/No space left on device|Errno 28\b|disk quota/i.test(errors)) {
    return "The disk is full: .venv takes 1.6 GB, and the system's temporary folder some hundred MB meanwhile.";
  }
  if (/NewConnectionError|NameResolution|ConnectTimeout|ReadTimeout|ProxyError|unreachable/i.test(errors)) {
    return "The package index cannot be reached; is there a network, or a proxy that pip has to know of?";
  }
  const lines = errors.split("\n").filter((line) => line.trim() !== "");
  return (
    lines.filter((line) => /error/i.test(line)).at(-1) ??
    lines.at(-1) ??
    "the lines above say why."
  ).trim();
}

/**
 * Installs packages into an environment, which is made first if it cannot be used.
 *
 * @param python the Python that it is made with
 * @returns why that failed; undefined if it did not
 */
export async function fillEnvironment(folder, python, requirements) {
  const own = pythonOf(folder);
  if (!existsSync(own) || !ask(own, ["-c", IS_USABLE]).ok) {
    const made = await runShowing(python, ["-m", "venv", "--clear", folder]);
    if (made.code !== 0) return `${python} -m venv failed: ${reasonOf(made.errors)}`;
  }
  const bar = process.stdout.isTTY ? "on" : "off";
  const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", bar];
  const installed = await runShowing(own, [...pip, ...requirements]);
  return installed.code === 0
    ? undefined
    : `pip could not install ${requirements.join(" ")}: ${reasonOf(installed.errors)}`;
}

/**
 * Creates the project's .venv with TensorFlow, unless a Python already has it. An incomplete one, because a run was
 * interrupted or its Python was removed, is recreated. Returns what is missing, or undefined.
 */
export async function bringTensorflow() {
  if (findTensorflow() !== undefined) return undefined;
  const base = basePython();
  if (base.executable === undefined) return base;
  const again = "npm test";
  const what = existsSync(venv) ? "Completing" : "Making";
  console.error(
    `${what} .venv with ${REQUIREMENT} for the tests, once: some 300 MB to fetch, 1.6 GB on disk.`,
  );
  const began = performance.now();
  if (statSync(venv, { throwIfNoEntry: false })?.isDirectory() === false) {
    return { why: ".venv is no folder.", command: `rm .venv && ${again}` };
  }
  const why = await fillEnvironment(venv, base.executable, [REQUIREMENT]);
  if (why !== undefined) return { why, command: again };
  if (findTensorflow() === undefined) {
    return {
      why: `${relative(root, venvPython)} finds no TensorFlow ${VERSION} although pip installed it.`,
      command: `rm -r .venv && ${again}`,
    };
  }
  console.error(`TensorFlow is in .venv: ${((performance.now() - began) / 1000).toFixed(0)} s`);
  return undefined;
}
