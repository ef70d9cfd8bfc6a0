import { describe, expect, it } from "vitest";
import { OutputLines } from "../../../main/scripts/output-lines.js";

function linesOf(pieces: readonly (string | Buffer)[], now = () => 0): string[] {
  const lines: string[] = [];
  const output = new OutputLines((line) => lines.push(line), now);
  for (const piece of pieces) output.push(Buffer.from(piece));
  output.end();
  return lines;
}

describe("the output of a script", () => {
  it("is split at line breaks, across pieces and characters of several bytes", () => {
    const [first, second] = [Buffer.from("ä").subarray(0, 1), Buffer.from("ä").subarray(1)];
    expect(linesOf(["a\r\nb", "c\r", "\n\n", first, second, "\nrest"])).toEqual(["a", "bc", "ä", "rest"]);
  });

  it("passes on one drawing of a progress bar in a second, and the line that ends it", () => {
    let time = 0;
    const now = () => {
      time += 100;
      return time;
    };
    const bar = Array.from({ length: 20 }, (_, step) => `step ${step}\r`);
    const lines = linesOf([...bar, "done\n"], now);
    expect(lines[0]).toBe("step 0");
    expect(lines.at(-1)).toBe("done");
    expect(lines.length).toBeLessThan(8);
  });

  it("keeps the last drawing of a bar that nothing replaces", () => {
    expect(linesOf(["1%\r50%\r100%\r"])).toEqual(["1%", "100%"]);
    expect(linesOf(["1%\r50%\r100%\r\nnext\n"])).toEqual(["1%", "100%", "next"]);
  });

  it("cuts a line that does not end", () => {
    expect(linesOf(["x".repeat(20_000)]).map((line) => line.length)).toEqual([8192, 8192, 3616]);
  });
});
