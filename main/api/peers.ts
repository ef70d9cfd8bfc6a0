import { z } from "zod";
import {
  addMachineSchema,
  identitySchema,
  machineIdSchema,
  pairingStateSchema,
  roleSchema,
} from "./machines.js";
import { method, nothing } from "./method.js";

export const peerMethods = {
  "machines.identity": method(nothing, identitySchema),
  /** Asks for a machine by address, or for one that was announced by device ID; answers its id once it answered. */
  "machines.add": method(addMachineSchema, z.string()),
  /** Takes a machine off the list: unpairs it, or forgets the address that was added. */
  "machines.forget": method(machineIdSchema, nothing),
  /** Says what a paired machine may do here. */
  "machines.setRole": method(z.object({ machineId: z.string(), role: roleSchema }), nothing),
  /** Asks the network again who is there. */
  "machines.search": method(nothing, nothing),
  /**
   * Has this machine be a new one from its next start on, for a copy of another machine: it forgets whom it is paired with.
   */
  "machines.newIdentity": method(nothing, nothing),
  /** A one-time address of the window of a paired machine that has none of its own. */
  "machines.openWindow": method(machineIdSchema, z.string()),

  "pairing.get": method(nothing, pairingStateSchema.optional()),
  /** Begins a pairing with a machine that was discovered or added; everything else comes as `pairing` events. */
  "pairing.start": method(z.object({ machineId: z.string(), grantedRole: roleSchema }), nothing),
  "pairing.enterCode": method(
    z.object({ code: z.string().regex(/^\d{6}$/, "a code is six digits") }),
    nothing,
  ),
  /** What the other machine will be allowed here, on either side; until the code was proved. */
  "pairing.setGrantedRole": method(z.object({ role: roleSchema }), nothing),
  /** Ends a pairing on either side, or puts a finished one away. */
  "pairing.close": method(nothing, nothing),
} as const;

export const peerEvents = {
  /** Absent when there is none, or no longer. */
  pairing: pairingStateSchema.optional(),
} as const;
