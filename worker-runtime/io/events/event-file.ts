/** The parts of every file of events that TensorBoard reads: a name by which it is found, and the format's version first. */
import { hostname } from "node:os";
import { Event } from "../../../protos/generated/tensorflow/event.js";
import { frameRecord } from "../tfrecord/framing.js";

/** The name that TensorFlow gives a file. @param count tells apart the files that a process makes in one second. */
export function eventFileName(count: number): string {
  const seconds = String(Math.floor(Date.now() / 1000)).padStart(10, "0");
  return `events.out.tfevents.${seconds}.${hostname()}.${process.pid}.${count}`;
}

/** An event as a record of the file; one without a time happens now. */
export function eventRecord(event: Partial<Event>): Uint8Array {
  return frameRecord(Event.encode(Event.fromPartial({ wallTime: wallTime(), ...event })).finish());
}

/** The first record of a file: the version of its format. */
export function versionRecord(): Uint8Array {
  return eventRecord({
    what: { $case: "fileVersion", value: "brain.Event:2" },
    sourceMetadata: { writer: "tensorflow.core.util.events_writer" },
  });
}

/** Seconds since 1970, as in events. */
export function wallTime(): number {
  return Date.now() / 1000;
}
