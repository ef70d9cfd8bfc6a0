import { release } from "node:os";
import { version } from "../../shared/version.js";

/** The first log entry of each run of the application: the facts that a bug report needs first. */
export function startText(host: string): string {
  const { platform, arch, versions } = process;
  const electron = versions.electron === undefined ? "" : `, Electron ${versions.electron}`;
  return `Tensordeck ${version()} starts (${host}, ${platform} ${release()} ${arch}, Node ${versions.node}${electron}).`;
}
