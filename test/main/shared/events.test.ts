import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../../../main/api/default-settings.js";
import type { Samples } from "../../../main/api/samples.js";
import { EventHub } from "../../../main/shared/events.js";

const samples = (at: number): Samples => ({
  machines: {},
  tasks: { t: { at, cpuPercent: 1, memoryBytes: 1 } },
});
const light = { ...DEFAULT_SETTINGS, theme: "light" } as const;

function namesOf(events: readonly { readonly event: string; readonly sequence: number }[]): string[] {
  return events.map(({ event, sequence }) => `${sequence} ${event}`);
}

describe("what a window missed", () => {
  it("is each state that is another one now, once, and all samples, in their order", () => {
    const hub = new EventHub();
    hub.emit("settings", DEFAULT_SETTINGS);
    hub.emit("pairing", undefined);
    const { last } = hub.missed();
    hub.emit("samples", samples(1));
    hub.emit("settings", light);
    hub.emit("settings", { ...light, machineName: "pi" });
    hub.emit("samples", samples(2));
    const missed = hub.missed(last);
    expect(namesOf(missed.events)).toEqual(["3 samples", "5 settings", "6 samples"]);
    expect(missed.events[1]?.data).toMatchObject({ theme: "light", machineName: "pi" });
    expect(missed.last.sequence).toBe(6);
    expect(hub.missed(missed.last).events).toEqual([]);
  });

  it("is everything that is kept for a new window, and for one that knows another run of the application", () => {
    const hub = new EventHub();
    hub.emit("settings", DEFAULT_SETTINGS);
    for (let at = 0; at < 100; at++) hub.emit("samples", samples(at));
    const all = hub.missed().events;
    expect(all[0]?.event).toBe("settings");
    // The minute that a window draws.
    expect(all).toHaveLength(61);
    expect(all.at(-1)?.data).toEqual(samples(99));
    expect(hub.missed({ feed: "another", sequence: 101 }).events).toEqual(all);
  });

  it("says that a state is no more", () => {
    const hub = new EventHub();
    const { last } = hub.missed();
    hub.emit("pairing", undefined);
    expect(hub.missed(last).events).toEqual([{ event: "pairing", sequence: 1, data: undefined }]);
  });
});

describe("events that listeners emit", () => {
  it("come after the one before to every listener", () => {
    const hub = new EventHub();
    const heard: string[] = [];
    hub.listen((event) => {
      if (event === "settings") hub.emit("pairing", undefined);
    });
    hub.listen((event, _, sequence) => heard.push(`${sequence} ${event}`));
    hub.emit("settings", DEFAULT_SETTINGS);
    expect(heard).toEqual(["1 settings", "2 pairing"]);
  });
});
