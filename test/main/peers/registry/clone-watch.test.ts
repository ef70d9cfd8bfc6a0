/** Which machines are taken for copies of each other, and which are only started anew, moved or woken. */
import { afterEach, describe, expect, it } from "vitest";
import { INSTANCE } from "../../../../main/peers/identity/instance.js";
import { CloneWatch } from "../../../../main/peers/registry/clone-watch.js";
import { until } from "../../support/until.js";

const OWN = "o".repeat(52);
const CARD = "c".repeat(52);
const [FIRST, SECOND] = ["1".repeat(16), "2".repeat(16)];

let watch: CloneWatch | undefined;
afterEach(() => watch?.close());

function make() {
  const clock = { now: 0 };
  /** Addresses at which a machine with the key answers. */
  const answering = new Set(["10.0.0.5:2220", "10.0.0.6:2220"]);
  const asked: string[] = [];
  let changes = 0;
  const made = new CloneWatch({
    ownId: OWN,
    confirm: async (_, address) => {
      asked.push(address);
      return answering.has(address);
    },
    now: () => clock.now,
  });
  watch = made;
  made.onChange(() => changes++);
  /** The announcements at a time. */
  const at = (millis: number, deviceId: string, instance: string, address: string) => {
    clock.now = millis;
    made.heard(deviceId, instance, address);
  };
  return { made, at, clock, answering, asked, changes: () => changes };
}

describe("copies of one identity", () => {
  it("are noticed when the one is heard again after the other, and both have the key", async () => {
    const { made, at } = make();
    at(0, CARD, FIRST, "10.0.0.5:2220");
    at(1000, CARD, SECOND, "10.0.0.6:2220");
    at(15_000, CARD, FIRST, "10.0.0.5:2220");
    await until("both are known", () => made.of(CARD).length > 0);
    expect(made.of(CARD)).toEqual(["10.0.0.5:2220", "10.0.0.6:2220"]);
    expect([...made.all().keys()]).toEqual([CARD]);
  });

  it("of this machine are noticed when they go on", async () => {
    const { made, at } = make();
    at(100, OWN, INSTANCE, "10.0.0.1:2220");
    at(1000, OWN, FIRST, "10.0.0.5:2220");
    at(3000, OWN, FIRST, "10.0.0.5:2220");
    expect(made.of(OWN)).toEqual([]);
    at(15_000, OWN, FIRST, "10.0.0.5:2220");
    await until("it is known", () => made.of(OWN).length > 0);
    expect(made.of(OWN)).toEqual(["10.0.0.5:2220"]);
  });

  it("are no longer when one of them is gone, or is another machine now", async () => {
    const { made, at, clock, answering } = make();
    at(0, OWN, FIRST, "10.0.0.5:2220");
    at(10_000, OWN, FIRST, "10.0.0.5:2220");
    await until("it is known", () => made.of(OWN).length > 0);
    answering.delete("10.0.0.5:2220");
    made.look();
    await until("it is forgotten", () => made.of(OWN).length === 0);
    answering.add("10.0.0.5:2220");
    at(20_000, OWN, FIRST, "10.0.0.5:2220");
    await until("it is known again", () => made.of(OWN).length > 0);
    clock.now = 300_000;
    made.look();
    await until("it is forgotten with its time", () => made.of(OWN).length === 0);
  });
});

describe("a machine that is one", () => {
  const quiet: readonly [what: string, heard: readonly (readonly [number, string, string])[]][] = [
    [
      "several interfaces",
      [0, 15_000, 30_000].flatMap((now): [number, string, string][] => [
        [now, FIRST, "10.0.0.5:2220"],
        [now, FIRST, "10.0.0.6:2220"],
      ]),
    ],
    [
      "another address",
      [
        [0, FIRST, "10.0.0.5:2220"],
        [20_000, FIRST, "10.0.0.6:2220"],
        [40_000, FIRST, "10.0.0.6:2220"],
      ],
    ],
    [
      "a restart, with what was under way before",
      [
        [0, FIRST, "10.0.0.5:2220"],
        [20_000, SECOND, "10.0.0.5:2220"],
        [20_500, FIRST, "10.0.0.6:2220"],
        [35_000, SECOND, "10.0.0.5:2220"],
        [90_000, SECOND, "10.0.0.6:2220"],
      ],
    ],
    [
      "a sleep",
      [
        [0, FIRST, "10.0.0.5:2220"],
        [8_000_000, FIRST, "10.0.0.5:2220"],
        [8_015_000, FIRST, "10.0.0.5:2220"],
      ],
    ],
  ];
  it.each(quiet)("is not taken for two: %s", async (_what, heard) => {
    const { made, at, asked } = make();
    for (const [now, instance, address] of heard) at(now, CARD, instance, address);
    made.look();
    expect(asked).toEqual([]);
    expect(made.of(CARD)).toEqual([]);
  });

  it("is not taken for two when another machine announces its identity without its key", async () => {
    const { made, at, asked, changes } = make();
    at(0, CARD, FIRST, "10.0.0.5:2220");
    at(1000, CARD, SECOND, "10.0.0.66:2220");
    at(15_000, CARD, FIRST, "10.0.0.5:2220");
    await until("both were asked", () => asked.length === 2);
    made.look();
    await until("both were asked again", () => asked.length === 4);
    expect([made.of(CARD), changes()]).toEqual([[], 0]);
  });

  it("can be forged any number of times", () => {
    const { made, at } = make();
    for (let i = 0; i < 10_000; i++) at(i, `${i}`.padEnd(52, "x"), FIRST, "10.0.0.66:2220");
    for (let i = 0; i < 1000; i++) at(i, "0".padEnd(52, "x"), `${i}`.padEnd(16, "0"), `10.0.0.66:${i}`);
    expect(made.all().size).toBe(0);
  });
});
