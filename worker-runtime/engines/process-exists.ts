/** Whether a process of this id exists, of this account or another. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists but is not ours to signal.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
