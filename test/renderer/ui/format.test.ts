import { describe, expect, it } from "vitest";
import {
  bytesText,
  durationDifferenceText,
  durationText,
  listText,
  numberText,
  roundTripText,
  shapeText,
  stepText,
  timeText,
  totalBytesText,
} from "../../../renderer/ui/format.js";

describe("numbers as the window writes them", () => {
  it.each([
    [0, "0 B"],
    [8, "8 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [3800, "3.8 kB"],
    [98_304, "98 kB"],
    [999_600, "1 MB"],
    [1_400_000_000, "1.4 GB"],
    [16_300_000_000, "16 GB"],
  ])("%d bytes: %s", (bytes, text) => expect(bytesText(bytes)).toBe(text));

  it.each([
    [0, "0 µs"],
    [0.0004, "<1 µs"],
    [0.004, "4 µs"],
    [0.042, "42 µs"],
    [0.0996, "0.10 ms"],
    [0.38, "0.38 ms"],
    [12, "12.0 ms"],
    [107.2, "107 ms"],
    [999.7, "1.0 s"],
    [1300, "1.3 s"],
    [9960, "10 s"],
    [59_700, "1 min 0 s"],
    [42_000, "42 s"],
    [119_900, "2 min 0 s"],
    [3_720_000, "1 h 2 min"],
  ])("%d ms: %s", (millis, text) => expect(durationText(millis)).toBe(text));

  it.each([
    [0, "0 µs"],
    [1.2, "+1.20 ms"],
    [-4000, "−4.0 s"],
    [0.0004, "<1 µs"],
    [-0.0004, "<1 µs"],
  ])("%d ms of difference: %s", (millis, text) => expect(durationDifferenceText(millis)).toBe(text));

  it("of sums say what is not in them", () => {
    expect(totalBytesText([4, 4, 4])).toBe("12 B");
    expect(totalBytesText([4, undefined])).toBe("at least 4 B");
    expect(totalBytesText([undefined])).toBe("bytes not known");
  });

  it("numbers, lists and shapes", () => {
    expect([999, 1000, 10_000, 1_234_567].map(numberText)).toEqual(["999", "1000", "10,000", "1,234,567"]);
    expect(stepText(100_000)).toBe("step 100,000");
    expect(listText(["a"])).toBe("a");
    expect(listText(["a", "b", "c"])).toBe("a, b and c");
    expect(shapeText([-1, 784])).toBe("[?,784]");
    expect(shapeText([])).toBe("[]");
  });
});

describe("times", () => {
  const now = new Date(2026, 10, 21, 13, 0).getTime();

  it("leave out today's date", () => {
    expect(timeText(new Date(2026, 10, 21, 9, 5).getTime(), now)).toBe("09:05");
    expect(timeText(new Date(2026, 10, 20, 23, 59).getTime(), now)).toBe("20 Nov 23:59");
  });

  it("of round trips stay short", () => {
    expect([0.01, 0.62, 9.94, 9.96, 14.4].map(roundTripText)).toEqual(["<0.1", "0.6", "9.9", "10", "14"]);
  });
});
