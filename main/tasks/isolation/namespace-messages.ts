/**
 * The messages between the application and its namespace process over Node's IPC channel; sockets are passed along with
 * them.
 */
import { z } from "zod";

export type NamespaceRequest =
  /** Listen on the namespace's loopback addresses. Answered by "done" or "failed"; every connection by "accepted". */
  | { readonly kind: "listen"; readonly id: number; readonly port: number }
  /** Free a port again. Answered by "done". */
  | { readonly kind: "unlisten"; readonly id: number; readonly port: number }
  /** Connect to a program in the namespace. Answered by "done" with the socket, or by "failed". */
  | { readonly kind: "connect"; readonly id: number; readonly port: number }
  /** Carry a connection, whose socket comes along, to a program in the namespace. Not answered. */
  | { readonly kind: "admit"; readonly port: number };

export const namespaceMessageSchema = z.discriminatedUnion("kind", [
  /** Its loopback interface works. */
  z.object({ kind: z.literal("ready") }),
  /** The namespace cannot be used; the process ends. */
  z.object({ kind: z.literal("unusable"), message: z.string() }),
  z.object({ kind: z.literal("done"), id: z.number() }),
  z.object({ kind: z.literal("failed"), id: z.number(), message: z.string() }),
  /** A program in the namespace has connected to a port; the socket comes along. */
  z.object({ kind: z.literal("accepted"), port: z.number() }),
]);
export type NamespaceMessage = z.infer<typeof namespaceMessageSchema>;
