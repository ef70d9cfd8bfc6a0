import { z } from "zod";
import {
  addMachineSchema,
  hostedSchema,
  identitySchema,
  machineIdSchema,
  pairingStateSchema,
  roleSchema,
} from "./machines.js";
import { method, nothing } from "./method.js";

export const peerMethods = {
  "machines.identity": method(nothing, identitySchema),
  /** Adds a machine by address, or an announced one by device ID; resolves to its id once it has answered. */
  "machines.add": method(addMachineSchema, z.string()),
  /** Removes a machine from the list: unpairs it, or removes the added address. */
  "machines.forget": method(machineIdSchema, nothing),
  /** The work of a paired machine here; it ends as soon as that machine may no longer run anything here. */
  "machines.hosted": method(machineIdSchema, hostedSchema),
  /** Sets what a paired machine may do here. */
  "machines.setRole": method(z.object({ machineId: z.string(), role: roleSchema }), nothing),
  /** Queries the network again for machines. */
  "machines.search": method(nothing, nothing),
  /**
   * Gives this machine a new identity from its next start on, for a copy of another machine: it loses its pairings.
   */
  "machines.newIdentity": method(nothing, nothing),
  /** A one-time address of the window of a paired machine that has none of its own. */
  "machines.openWindow": method(machineIdSchema, z.string()),

  "pairing.get": method(nothing, pairingStateSchema.optional()),
  /** Starts a pairing with a discovered or added machine; its progress comes as `pairing` events. */
  "pairing.start": method(z.object({ machineId: z.string(), grantedRole: roleSchema }), nothing),
  "pairing.enterCode": method(
    z.object({ code: z.string().regex(/^\d{6}$/, "a code is six digits") }),
    nothing,
  ),
  /** Sets the other machine's role here, on either side; possible until the code is proved. */
  "pairing.setGrantedRole": method(z.object({ role: roleSchema }), nothing),
  /** Cancels a pairing on either side, or dismisses a finished one. */
  "pairing.close": method(nothing, nothing),
} as const;

export const peerEvents = {
  /** Absent when there is none any more. */
  pairing: pairingStateSchema.optional(),
} as const;
