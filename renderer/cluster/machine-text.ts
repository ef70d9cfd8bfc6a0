/** The window's texts about a machine. */
import type { Machine } from "../../main/api/cluster.js";
import type { Gpu, Role } from "../../main/api/machines.js";
import type { GpuLoad } from "../../main/api/samples.js";
import { texts } from "../texts/texts.js";
import { bytesText, timeText } from "../ui/format.js";
import type { IconName } from "../ui/icon.js";

const words = texts.cluster.machineText;

const SYSTEMS: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

/** "TensorFlow 2.21.0 GPU", "portable engine GPU"; or what is missing, if a machine has none. */
export function engineText({ engine, version, gpu }: Machine["engines"][number]): string {
  if (engine === "tensorflow") return (gpu ? words.tensorflowWithGpu : words.tensorflow)({ version });
  return gpu ? words.portableWithGpu : words.portable;
}

/** The advantages of an engine over the other one for a task, in one line. */
export function engineNote({ engine, gpu }: Machine["engines"][number]): string {
  if (engine === "tensorflow") return gpu ? words.tensorflowWithGpuNote : words.tensorflowNote;
  return gpu ? words.portableWithGpuNote : words.portableNote;
}

/** Makers' names leave the row no room: "RTX 4070" of "NVIDIA GeForce RTX 4070". */
function shortGpuName(name: string): string {
  return name.replace(/^NVIDIA /, "").replace(/^GeForce /, "");
}

function memoryText(usedBytes: number | undefined, memoryBytes: number): string {
  if (memoryBytes <= 0) return "";
  if (usedBytes === undefined) return bytesText(memoryBytes);
  const [used = "", usedUnit] = bytesText(usedBytes).split(" ");
  const [total = "", unit] = bytesText(memoryBytes).split(" ");
  return usedUnit === unit ? `${used}/${total} ${unit}` : `${used} ${usedUnit}/${total} ${unit}`;
}

/** GPUs of one kind together: "RTX 4070 3.1/12 GB", "8 × A100 80 GB". @param loads How much of them is used, if known. */
export function gpuTexts(gpus: readonly Gpu[], loads: readonly GpuLoad[] = []): string[] {
  const usedOf = (gpu: Gpu) => loads.find(({ index }) => index === gpu.index)?.usedBytes;
  const names = [...new Set(gpus.map(({ name }) => shortGpuName(name)))];
  return names.map((name) => {
    const ofKind = gpus.filter((gpu) => shortGpuName(gpu.name) === name);
    const used = ofKind.some((gpu) => usedOf(gpu) !== undefined)
      ? ofKind.reduce((sum, gpu) => sum + (usedOf(gpu) ?? 0), 0)
      : undefined;
    const total = ofKind.reduce((sum, gpu) => sum + gpu.memoryBytes, 0);
    const count = ofKind.length > 1 ? `${ofKind.length} × ` : "";
    return `${count}${name} ${memoryText(used, total)}`.trim();
  });
}

/** A machine's hardware in one line; for a machine that is hardly known, the known facts. */
export function hardwareText(machine: Machine, loads?: readonly GpuLoad[]): string {
  if (machine.kind === "discovered") return words.discovered;
  if (machine.kind === "foreign") return words.foreign;
  const parts = machine.gpus.length > 0 ? gpuTexts(machine.gpus, loads) : [];
  if (parts.length === 0 && machine.cores > 0) parts.push(words.cores({ cores: machine.cores }));
  if (machine.gpus.length === 0 && machine.memoryBytes > 0) parts.push(bytesText(machine.memoryBytes));
  const [engine] = machine.engines;
  if (engine) parts.push(engineText(engine));
  return parts.join(" · ");
}

/** The system as its maker names it, or what kind it is. */
export function systemText({ osName, platform, arch }: Machine): string {
  return [osName || SYSTEMS[platform] || platform, arch].filter(Boolean).join(", ");
}

/**
 * The text after a machine's name.
 *
 * @param unseenSince When the window heard of it last, if it is not connected.
 */
export function presenceText({ kind, presence, lastSeenAt }: Machine, unseenSince?: number): string {
  if (unseenSince !== undefined && presence !== "offline")
    return words.lastSeen({ time: timeText(unseenSince) });
  if (presence === "connecting" && kind !== "discovered") return words.connecting;
  if (presence === "offline")
    return lastSeenAt === undefined
      ? words.presences.offline
      : words.lastSeen({ time: timeText(lastSeenAt) });
  return kind === "this" ? words.kinds.this : "";
}

/** The same for screen readers, which do not see the dot. */
export function spokenPresence(machine: Machine, unseenSince?: number): string {
  const { kind } = machine;
  const presence = unseenSince === undefined || machine.presence === "offline" ? machine.presence : "unknown";
  // The text next to the dot may be the same word.
  const said = new Set([
    words.kinds[kind],
    words.presences[presence],
    ...(presence === "offline" || presence === "unknown" ? [presenceText(machine, unseenSince)] : []),
  ]);
  return [...said].join(", ");
}

/** The sign before a machine's hardware. */
export function machineIcon({ kind, platform, arch }: Machine): IconName {
  if (kind === "discovered") return "unknown";
  if (kind === "foreign") return "server";
  if (platform === "darwin") return "laptop";
  return platform === "linux" && arch.startsWith("arm") ? "chip" : "desktop";
}

const ID_GROUP = 4;
const ID_GROUPS_A_LINE = 7;

/** A device ID as people compare it: capitals in groups of four, on two lines. */
export function fingerprintLines(deviceId: string): string[] {
  const groups = deviceId.toUpperCase().match(new RegExp(`.{1,${ID_GROUP}}`, "g")) ?? [];
  const lines: string[] = [];
  for (let at = 0; at < groups.length; at += ID_GROUPS_A_LINE)
    lines.push(groups.slice(at, at + ID_GROUPS_A_LINE).join(" "));
  return lines;
}

export interface RoleText {
  readonly role: Role;
  readonly label: string;
  /** The rights of another machine with this role here. */
  readonly here: string;
  /** The same of this machine on another one, after its name. */
  readonly there: string;
}

/** The roles from least to most, in plain words. */
export const ROLES: readonly RoleText[] = [
  { role: "view", ...words.roles.view },
  { role: "run", ...words.roles.run },
  { role: "manage", ...words.roles.manage },
];

export function roleText(role: Role): RoleText {
  const found = ROLES.find((one) => one.role === role);
  if (found === undefined) throw new Error(`There is no role "${role}".`);
  return found;
}
