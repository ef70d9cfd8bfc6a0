// A copy of the project that belongs to an ordinary account, for checks that root would pass where a user fails.
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, findProgram } from "../programs.mjs";
import { BuildError, root } from "../project.mjs";

const ACCOUNT = "tensordeck-ci";
/** As a user may name the folder that the project is in. */
const FOLDER_NAME = "My Projects é";
/** Files that a user makes are readable by that user alone. */
const UMASK = 0o077;

/** The output of a program in the project's folder. @throws BuildError if it fails */
function answerOf(program, args) {
  const { ok, stdout, errors } = ask(program, args, { cwd: root, maxBuffer: 1 << 28 });
  if (!ok) throw new BuildError(`${program} ${args.join(" ")} failed: ${errors.trim()}`);
  return stdout;
}

/** Copies the project's files, committed or not, without what is ignored. */
function copyProject(folder) {
  const list = answerOf("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  for (const file of list.split("\0")) {
    // A deleted file is listed until its deletion is committed.
    if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
}

/** Gives a folder with everything in it to the account. */
function giveTo(account, folder) {
  chownSync(folder, account.uid, account.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo(account, path);
    else if (entry.isFile()) chownSync(path, account.uid, account.gid);
  }
}

function numberOf(option) {
  return Number(answerOf("id", [option, ACCOUNT]));
}

function removeAccount() {
  ask("userdel", ["--force", ACCOUNT]);
}

/**
 * Makes an ordinary account, a home folder and a copy of the project for it, in a folder whose name has a space and a
 * letter that is not ASCII. The reference material beside the project is copied, too.
 *
 * @returns the copy's folder, `options` for `spawn` that start a program as that account, `processes()`, which lists what
 *   the account still runs, `letOthersRead()`, for tests by root that start programs without its rights, and `remove()`,
 *   which deletes the account and its files
 * @throws BuildError if this is not root on a Linux with useradd
 */
export function makeOrdinaryAccount() {
  if (process.platform !== "linux" || process.getuid() !== 0 || findProgram("useradd") === undefined) {
    throw new BuildError(
      "Only root, on a Linux with useradd, can make an account for the tests.",
      "Debian has it in the package passwd.",
    );
  }
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-ci-"));
  let uid;
  const remove = () => {
    for (const { pid } of uid === undefined ? [] : processesOf(uid)) endProcess(pid);
    removeAccount();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // An interrupted run may have left the account.
    removeAccount();
    answerOf("useradd", ["--system", "--no-create-home", "--shell", "/bin/sh", ACCOUNT]);
    const account = { uid: numberOf("-u"), gid: numberOf("-g") };
    uid = account.uid;
    const [home, temporary] = [join(folder, "home"), join(folder, "tmp")];
    const projects = join(folder, FOLDER_NAME);
    const project = join(projects, "tensordeck");
    for (const made of [home, temporary, projects, project]) mkdirSync(made);
    copyProject(project);
    const shared = join(root, "..", "shared");
    if (existsSync(shared)) cpSync(shared, join(projects, "shared"), { recursive: true });
    giveTo(account, folder);
    const env = {
      ...process.env,
      HOME: home,
      TMPDIR: temporary,
      USER: ACCOUNT,
      LOGNAME: ACCOUNT,
    };
    return {
      project,
      options: { cwd: project, env, uid: account.uid, gid: account.gid },
      processes: () => processesOf(account.uid),
      letOthersRead: () => answerOf("chmod", ["-R", "go+rX", folder]),
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function endProcess(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** The running processes of an account, with their command lines, by their entries in /proc. */
function processesOf(uid) {
  const processes = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const owner = /^Uid:\s+(\d+)/m.exec(readFileSync(join("/proc", pid, "status"), "utf8"))?.[1];
      const command = readFileSync(join("/proc", pid, "cmdline"), "utf8")
        .split("\0")
        .join(" ")
        .trim();
      // A process that has ended and waits for its parent has no command line.
      if (Number(owner) === uid && command !== "") processes.push({ pid: Number(pid), command });
    } catch {
      // It has ended meanwhile.
    }
  }
  return processes;
}

/** Runs an action with the umask that children inherit, and restores ours. */
export async function withOrdinaryUmask(action) {
  const before = process.umask(UMASK);
  try {
    return await action();
  } finally {
    process.umask(before);
  }
}
