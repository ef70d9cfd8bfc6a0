import { beforeEach, describe, expect, it, vi } from "vitest";
import type { InUse } from "../../../../main/app/in-use.js";
import { interruption } from "../../../../main/hosts/headless/interruption.js";

const IDLE: InUse = { tasks: [], ownTasks: ["worker/1"] };
const USED: InUse = { ...IDLE, tasks: [{ name: "worker/0", user: "gpu-pc" }] };

let used: InUse | undefined;
let now = 0;
const say = vi.fn();
const end = vi.fn();
let interrupt: () => void;

beforeEach(() => {
  say.mockClear();
  end.mockClear();
  now = 0;
  interrupt = interruption({ inUse: () => used, say, end, now: () => now });
});

describe("Ctrl+C", () => {
  it.each([
    ["nobody else uses a task", IDLE],
    ["the application is still starting", undefined],
  ])("ends at once when %s", (_, given) => {
    used = given;
    interrupt();
    expect(end).toHaveBeenCalledOnce();
    expect(say).not.toHaveBeenCalled();
  });

  it("says what it would end while others use it, and ends at its second time", () => {
    used = USED;
    interrupt();
    expect(say).toHaveBeenCalledExactlyOnceWith(
      "Ending Tensordeck ends worker/0, which gpu-pc uses. Press Ctrl+C again within 10 seconds to end it.\n",
    );
    expect(end).not.toHaveBeenCalled();
    interrupt();
    expect(end).toHaveBeenCalledOnce();
  });

  it("asks again when the second comes too late to be an answer", () => {
    used = USED;
    interrupt();
    now += 10_000;
    interrupt();
    expect(say).toHaveBeenCalledTimes(2);
    expect(end).not.toHaveBeenCalled();
  });
});
