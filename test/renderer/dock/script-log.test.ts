import { describe, expect, it } from "vitest";
import { logRows, type TaskLine } from "../../../renderer/dock/scripts/log-rows.js";

const line = (task: string, at: number, text: string): TaskLine => ({
  ...{ task, at, text, sequence: at, level: "info" },
});
const shown = (lines: readonly TaskLine[], count = 2) =>
  logRows(lines, count).map(({ text, tasks }) => `${text} ${tasks.join("+")}`);

describe("the log of a script", () => {
  it("has the lines in reading order, and one row for a line that all tasks wrote", () => {
    const lines = [
      line("a", 1, "Epoch 1/2"),
      line("a", 2, "loss 0.5"),
      line("b", 3, "Epoch 1/2"),
      line("", 4, "said of the job"),
      line("b", 5, "loss 0.6"),
    ];
    expect(shown(lines)).toEqual(["loss 0.5 a", "Epoch 1/2 a+b", "said of the job ", "loss 0.6 b"]);
  });

  it("keeps apart what one task wrote twice, what came much later, and the lines of a single task", () => {
    expect(shown([line("a", 1, "same"), line("a", 2, "same"), line("b", 3, "same")])).toEqual([
      ...["same a", "same a+b"],
    ]);
    expect(shown([line("a", 1, "same"), line("b", 5000, "same")])).toEqual(["same a", "same b"]);
    expect(shown([line("a", 1, "same")], 1)).toEqual(["same a"]);
  });
});
