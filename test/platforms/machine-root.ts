/** The files of an emulated machine, or of one of packages, in a folder of this machine. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The file etc/hosts: the smallest Debian does not know this name. */
export const HOSTS = "127.0.0.1\tlocalhost\n::1\tlocalhost\n";

export class MachineRoot {
  protected constructor(protected readonly root: string) {}

  /** The path here of a file that the machine has at a path of its own. */
  file(path: string): string {
    return join(this.root, path);
  }

  /** Makes a folder of the machine, without anything in it. */
  empty(path: string): void {
    rmSync(this.file(path), { recursive: true, force: true });
    mkdirSync(this.file(path), { recursive: true });
  }
}
