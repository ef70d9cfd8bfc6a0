import { type DeviceParts, parseDeviceName } from "../../../cluster/device-name.js";
import { invalidArgument } from "../../../protocol/status.js";

/** A parsed rendezvous key: "device;incarnation;device;name;frame:iteration". */
export interface RendezvousKey {
  /** The full name of the device that sends. */
  readonly sendDevice: string;
  readonly sendParts: DeviceParts;
  /** The incarnation of the sending device, as an unsigned number. */
  readonly incarnation: bigint;
  readonly recvDevice: string;
  /** "edge_12_x": the tensor's name in the timeline. */
  readonly tensorName: string;
}

const PARTS = 5;
const INCARNATION = /^[0-9a-fA-F]{1,16}$/;

/**
 * Parses a key. TensorFlow's server (2.21, tested) requires five parts, two device names with job, task, type and
 * index, and a hexadecimal incarnation; the form of the name and the frame is up to the two nodes.
 *
 * @throws TensorFlowError INVALID_ARGUMENT with TensorFlow's text, which has the two blanks.
 */
export function parseRendezvousKey(key: string): RendezvousKey {
  const known = knownKeys.get(key);
  if (known !== undefined) {
    return known;
  }
  const parsed = readKey(key);
  if (key.length <= MAX_KNOWN_LENGTH) {
    if (knownKeys.size >= MAX_KNOWN) {
      knownKeys.clear();
    }
    knownKeys.set(key, parsed);
  }
  return parsed;
}

function readKey(key: string): RendezvousKey {
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

/** The name of the device that sends, without parsing the rest of the key. */
export function sendDeviceOf(key: string): string {
  const end = key.indexOf(";");
  return end === -1 ? key : key.slice(0, end);
}

/** A task sees the devices of its cluster and the tensors of its steps again and again; made-up names must not accumulate. */
const MAX_KNOWN = 4096;
const MAX_KNOWN_LENGTH = 512;
const knownKeys = new Map<string, RendezvousKey>();
const knownDevices = new Map<string, DeviceParts | undefined>();

/** The parts of a full device name; undefined for a partial one. */
function fullDevice(name: string): DeviceParts | undefined {
  if (knownDevices.has(name)) {
    return knownDevices.get(name);
  }
  if (knownDevices.size >= MAX_KNOWN) {
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
