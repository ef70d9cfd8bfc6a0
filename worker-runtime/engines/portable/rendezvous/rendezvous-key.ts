import { type DeviceParts, parseDeviceName } from "../../../cluster/device-name.js";
import { invalidArgument } from "../../../protocol/status.js";

/** A key of a rendezvous taken apart: "device;incarnation;device;name;frame:iteration". */
export interface RendezvousKey {
  /** The full name of the device that sends. */
  readonly sendDevice: string;
  readonly sendParts: DeviceParts;
  /** Of the sending device, as an unsigned number. */
  readonly incarnation: bigint;
  readonly recvDevice: string;
  /** "edge_12_x": what the timeline calls the tensor. */
  readonly tensorName: string;
}

const PARTS = 5;
const INCARNATION = /^[0-9a-fA-F]{1,16}$/;

/**
 * Takes a key apart.
 * TensorFlow's server (2.21, tried) asks for five parts, two device names with job, task, type and index, and a
 * hexadecimal incarnation; what the name and the frame look like is left to the two nodes.
 * @throws TensorFlowError INVALID_ARGUMENT with TensorFlow's text, which has the two blanks.
 */
export function parseRendezvousKey(key: string): RendezvousKey {
  const parts = key.split(";");
  const [sendDevice = "", incarnation = "", recvDevice = "", tensorName = ""] = parts;
  const sendParts = fullDevice(sendDevice);
  if (
    parts.length !== PARTS ||
    sendParts === undefined ||
    fullDevice(recvDevice) === undefined ||
    !INCARNATION.test(incarnation)
  ) {
    throw invalidArgument(`Invalid  rendezvous key: ${key}`);
  }
  return { sendDevice, sendParts, incarnation: BigInt(`0x${incarnation}`), recvDevice, tensorName };
}

/** The name of the device that sends, without looking at the rest of the key. */
export function sendDeviceOf(key: string): string {
  const end = key.indexOf(";");
  return end === -1 ? key : key.slice(0, end);
}

/** A task meets the devices of its cluster again and again; names that a caller makes up must not add up. */
const MAX_KNOWN_DEVICES = 4096;
const knownDevices = new Map<string, DeviceParts | undefined>();

/** The parts of a device name that has them all; undefined for another. */
function fullDevice(name: string): DeviceParts | undefined {
  if (knownDevices.has(name)) {
    return knownDevices.get(name);
  }
  if (knownDevices.size >= MAX_KNOWN_DEVICES) {
    knownDevices.clear();
  }
  const parts = readFullDevice(name);
  knownDevices.set(name, parts);
  return parts;
}

function readFullDevice(name: string): DeviceParts | undefined {
  try {
    const parts = parseDeviceName(name);
    const isFull = [parts.job, parts.task, parts.type, parts.index].every((part) => part !== undefined);
    return isFull ? parts : undefined;
  } catch {
    return undefined;
  }
}
