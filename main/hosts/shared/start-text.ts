import { release } from "node:os";
import { version } from "../../shared/version.js";

/** The first entry of a life of the application in its log: what whoever reads a report asks first. */
export function startText(host: string): string {
  const { platform, arch, versions } = process;
  const electron = versions.electron === undefined ? "" : `, Electron ${versions.electron}`;
  return `Tensordeck ${version()} starts (${host}, ${platform} ${release()} ${arch}, Node ${versions.node}${electron}).`;
}
