/**
 * How a reconnecting window gets the events that it missed. Every event has a sequence number; a window that reconnects
 * names the last one that it knows. Log lines are not repeated: they have their own numbers, see `cluster.taskLog`.
 */
import { z } from "zod";
import { method } from "./method.js";

/** The last event that a window has received. */
export const knownEventSchema = z.object({
  /** The run of the application that assigned the number. */
  feed: z.string().max(64),
  sequence: z.number().int().nonnegative(),
});
export type KnownEvent = z.infer<typeof knownEventSchema>;

/** An event as it crosses a transport. */
export const numberedEventSchema = z.object({
  event: z.string(),
  /** Counts up by one with every event of the application. */
  sequence: z.number().int().positive(),
  /** An event that reports that something is gone has no data. */
  data: z.unknown().optional(),
});
export type NumberedEvent = z.infer<typeof numberedEventSchema>;

export const missedEventsSchema = z.object({
  /** The last event of the application. */
  last: knownEventSchema,
  /** In order: each state that has changed, and the stored samples. */
  events: z.array(numberedEventSchema),
});
export type MissedEvents = z.infer<typeof missedEventsSchema>;

export const missedEventsMethods = {
  /** The events after the last one that the window knows; left out: everything that a new window needs. */
  "events.missed": method(knownEventSchema.optional(), missedEventsSchema),
} as const;
