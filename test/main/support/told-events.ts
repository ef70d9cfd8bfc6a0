import type { EventName } from "../../../main/api/contract.js";
import type { EmitEvent } from "../../../main/shared/events.js";

/** Takes the events of a room and keeps them. */
export function toldEvents(): {
  readonly emit: EmitEvent;
  readonly told: { event: EventName; data: unknown }[];
} {
  const told: { event: EventName; data: unknown }[] = [];
  return { told, emit: (event, data) => told.push({ event, data }) };
}
