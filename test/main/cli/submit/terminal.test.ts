import { describe, expect, it } from "vitest";
import { Terminal } from "../../../../main/cli/submit/terminal.js";

const worker = { job: "worker", index: 0 };
const ps = { job: "ps", index: 0 };
const line = {
  sequence: 0,
  at: new Date(2026, 0, 31, 14, 2, 13, 45).getTime(),
  level: "info",
  text: "loss 1",
} as const;

function printed(options: { tasks?: (typeof worker)[]; timestamps?: boolean; colours?: boolean }) {
  const texts: string[] = [];
  const write = (text: string) => texts.push(text);
  const terminal = new Terminal({
    ...{ tasks: [worker, ps], timestamps: false, colours: false, out: write, err: write },
    ...options,
  });
  terminal.line(ps, line, "stdout");
  return texts.join("");
}

describe("the log of several tasks", () => {
  it("names the task of each line, in columns", () => {
    expect(printed({})).toBe("ps/0     | loss 1\n");
  });

  it("begins with the time where that is asked for", () => {
    expect(printed({ timestamps: true })).toBe("14:02:13.045 ps/0     | loss 1\n");
  });

  it("colours tasks on a terminal", () => {
    expect(printed({ colours: true })).toBe("\u001b[38;5;172mps/0     | \u001b[0mloss 1\n");
  });

  it("shows the only task as if it ran there", () => {
    expect(printed({ tasks: [ps] })).toBe("loss 1\n");
  });
});
