/** A control group that limits the memory of processes. */
export interface MemoryGroup {
  /** A command that runs another one, with its arguments after these, in the group. */
  readonly command: string;
  readonly args: readonly string[];
  /** Once its processes have ended. */
  dispose(): void;
}

export function makeMemoryGroup(bytes: number): MemoryGroup;
