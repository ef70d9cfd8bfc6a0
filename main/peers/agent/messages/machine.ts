/** Descriptions and samples of a machine between the contract and the wire. */
import { isIP } from "node:net";
import * as wire from "../../../../protos/generated/tensordeck/agent.js";
import { engineSchema } from "../../../api/cluster.js";
import { type Gpu, type Role, roleSchema } from "../../../api/machines.js";
import type { GpuLoad, MachineSample } from "../../../api/samples.js";
import type { MachineDescription } from "../../../machine/description.js";
import { printableName } from "../../../shared/printable.js";
import { defined } from "../../../shared/problems.js";
import { instanceFrom } from "../../identity/instance.js";

/** More than any machine has; anything beyond must be made up. */
const MOST_ADDRESSES = 32;
const HIGHEST_PORT = 65_535;
const MOST_GPUS = 64;
const MOST_PROCESSES = 256;
const MOST_ENGINES = 16;

/** A paired machine's report about itself, and the caller's rights there. */
export interface DescribedMachine {
  readonly deviceId: string;
  readonly role: Role;
  readonly description: MachineDescription;
  /** The process that reports it; undefined for a version that does not tell. */
  readonly instance?: string | undefined;
}

export function machineToMessage({
  deviceId,
  role,
  description,
  instance,
}: DescribedMachine): wire.MachineDescription {
  const { gpus, agentPort, memoryBytes, engines, addresses, ...rest } = description;
  return wire.MachineDescription.fromPartial({
    ...rest,
    deviceId,
    role,
    instance: instance ?? "",
    agentPort: agentPort ?? 0,
    memoryBytes: whole(memoryBytes),
    addresses: [...addresses],
    engines: [...engines],
    gpus: gpus.map(({ index, name, memoryBytes: size }) => ({ index, name, memoryBytes: whole(size) })),
  });
}

/**
 * Unknown engines are left out and an unknown role counts as the lowest, since the other machine may run a newer
 * version. Strings are made printable and addresses are validated, because they are displayed, stored, dialled and
 * passed to firewalls.
 */
export function machineFromMessage(message: wire.MachineDescription): DescribedMachine {
  const { deviceId, role, agentPort, memoryBytes, gpus, engines, addresses, exposure } = message;
  const { name, platform, osName, arch, cores, version } = message;
  return {
    deviceId,
    role: roleSchema.catch("view").parse(role),
    instance: instanceFrom(message.instance),
    description: {
      name: printableName(name),
      platform: printableName(platform),
      osName: printableName(osName),
      arch: printableName(arch),
      cores,
      version: printableName(version),
      addresses: addresses.filter((address) => isIP(address) !== 0).slice(0, MOST_ADDRESSES),
      memoryBytes: Number(memoryBytes),
      ...(agentPort > 0 && agentPort <= HIGHEST_PORT && { agentPort }),
      engines: engines.slice(0, MOST_ENGINES).flatMap(({ engine, version: of, gpu }) => {
        const known = engineSchema.safeParse(engine);
        return known.success ? [{ engine: known.data, version: printableName(of), gpu }] : [];
      }),
      gpus: gpus.slice(0, MOST_GPUS).map(gpuFromMessage),
      ...(exposure && { exposure: { allowed: exposure.allowed, avoidable: exposure.avoidable } }),
    },
  };
}

function gpuFromMessage({ index, name, memoryBytes }: wire.Gpu): Gpu {
  return { index, name: printableName(name), memoryBytes: Number(memoryBytes) };
}

function loadToMessage({ index, usedBytes, busyPercent, processes }: GpuLoad): wire.GpuLoad {
  return {
    index,
    usedBytes: usedBytes === undefined ? undefined : whole(usedBytes),
    busyPercent,
    processes: processes.map(({ pid, name, memoryBytes, taskId }) => ({
      pid: BigInt(pid),
      name,
      memoryBytes: whole(memoryBytes),
      taskId: taskId ?? "",
    })),
  };
}

function loadFromMessage({ index, usedBytes, busyPercent, processes }: wire.GpuLoad): GpuLoad {
  return defined({
    index,
    usedBytes: usedBytes === undefined ? undefined : Number(usedBytes),
    busyPercent,
    processes: processes.slice(0, MOST_PROCESSES).map(({ pid, name: program, memoryBytes: held, taskId }) =>
      defined({
        pid: Number(pid),
        name: printableName(program),
        memoryBytes: Number(held),
        taskId: taskId === "" ? undefined : taskId,
      }),
    ),
  });
}

export function machineSampleToMessage(sample: MachineSample): wire.MachineMetrics {
  return wire.MachineMetrics.fromPartial({
    ...sample,
    at: whole(sample.at),
    memoryUsedBytes: whole(sample.memoryUsedBytes),
    gpus: sample.gpus.map(loadToMessage),
  });
}

export function machineSampleFromMessage(message: wire.MachineMetrics): MachineSample {
  const { at, cpuPercent, memoryUsedBytes, receivedBytesPerSecond, sentBytesPerSecond, gpus } = message;
  return {
    at: Number(at),
    cpuPercent,
    memoryUsedBytes: Number(memoryUsedBytes),
    receivedBytesPerSecond,
    sentBytesPerSecond,
    gpus: gpus.slice(0, MOST_GPUS).map(loadFromMessage),
  };
}

function whole(value: number): bigint {
  return BigInt(Math.round(value));
}
