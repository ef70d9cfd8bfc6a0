// Control groups of memory, in which tests run tasks with as little memory as a container has.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MOUNT = "/sys/fs/cgroup";

let groups = 0;

/**
 * Makes a control group. Version 2 has one tree for all resources, version 1 a tree for memory.
 *
 * @throws Error where the system has no control groups, or this process may not make one
 */
export function makeMemoryGroup(bytes) {
  const isSecond = existsSync(join(MOUNT, "cgroup.controllers"));
  const parent = isSecond ? MOUNT : join(MOUNT, "memory");
  if (isSecond) {
    const control = join(MOUNT, "cgroup.subtree_control");
    if (!readFileSync(control, "utf8").split(/\s+/).includes("memory")) writeFileSync(control, "+memory");
  }
  groups += 1;
  const folder = join(parent, `tensordeck-test-${process.pid}-${groups}`);
  mkdirSync(folder);
  try {
    writeFileSync(join(folder, isSecond ? "memory.max" : "memory.limit_in_bytes"), String(bytes));
    // Memory that does not fit would otherwise be written to the disk.
    const swap = join(folder, isSecond ? "memory.swap.max" : "memory.memsw.limit_in_bytes");
    if (existsSync(swap)) writeFileSync(swap, isSecond ? "0" : String(bytes));
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  return {
    /** A command that runs another one, with its arguments after these, in the group. */
    command: "/bin/sh",
    args: ["-c", 'echo $$ > "$0" && exec "$@"', join(folder, "cgroup.procs")],
    /** Once its processes have ended. */
    dispose: () => rmdirSync(folder),
  };
}

/** Why this process cannot make one; undefined if it can. */
export function lackOfMemoryGroups() {
  if (process.platform !== "linux") return { why: "Only Linux has them." };
  if (process.getuid() !== 0) return { why: "Only root can make them." };
  try {
    makeMemoryGroup(2 ** 30).dispose();
    return undefined;
  } catch (error) {
    return { why: `None can be made here: ${error.message}.` };
  }
}
