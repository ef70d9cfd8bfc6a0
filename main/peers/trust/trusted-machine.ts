import { z } from "zod";
import { deviceIdSchema, type Role, roleSchema } from "../../api/machines.js";

/** A machine that was paired with this one. */
export interface TrustedMachine {
  readonly deviceId: string;
  readonly name: string;
  /** The certificate whose hash is the device ID. */
  readonly certPem: string;
  /** Its rights here. */
  readonly grantedRole: Role;
  /** The rights of this machine there, as last reported by that machine. */
  readonly role: Role;
  /** Hosts without ports at which its agent was reached, the newest first. */
  readonly addresses: readonly string[];
  /** Addresses from which it called this machine and proved its key, the newest first. */
  readonly callers?: readonly string[] | undefined;
  /** 0: its agent did not listen when they were paired. */
  readonly agentPort: number;
  /** Milliseconds since the epoch. */
  readonly pairedAt: number;
}

/** A device ID that the user of this machine vouches for, so that it pairs without a code. */
export interface Preauthorisation {
  readonly deviceId: string;
  /** The rights that it will have here. */
  readonly role: Role;
}

const LONGEST_HOST = 253;
const MOST_ADDRESSES = 32;

const trustedMachineSchema = z.object({
  deviceId: deviceIdSchema,
  name: z.string().max(LONGEST_HOST),
  certPem: z.string().max(8192),
  grantedRole: roleSchema,
  role: roleSchema,
  addresses: z.array(z.string().max(LONGEST_HOST)).max(MOST_ADDRESSES),
  callers: z.array(z.string().max(LONGEST_HOST)).max(MOST_ADDRESSES).optional(),
  agentPort: z.number().int().min(0).max(65_535),
  pairedAt: z.number(),
});

/** A machine in the form that the file can hold: the facts it reports must not make the file unreadable. */
export function storable(machine: TrustedMachine): TrustedMachine {
  return {
    ...machine,
    name: machine.name.slice(0, LONGEST_HOST),
    addresses: machine.addresses.filter(({ length }) => length <= LONGEST_HOST).slice(0, MOST_ADDRESSES),
  };
}

/** The content of the store's file. */
export const trustFileSchema = z.object({
  machines: z.array(trustedMachineSchema),
  preauthorised: z.array(z.object({ deviceId: deviceIdSchema, role: roleSchema })),
});
export type TrustFile = {
  readonly machines: readonly TrustedMachine[];
  readonly preauthorised: readonly Preauthorisation[];
};
