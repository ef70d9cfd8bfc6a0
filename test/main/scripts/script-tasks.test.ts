import { describe, expect, it } from "vitest";
import { leadersOf, parseTasks, restartsAlone } from "../../../main/scripts/script-tasks.js";
import { shortTaskText } from "../../../worker-runtime/cluster/device-name.js";

const names = (text: string) => parseTasks(text).map(shortTaskText);
const leaders = (text: string) => leadersOf(parseTasks(text)).map(shortTaskText);

describe("the tasks of a script", () => {
  it("are those of each job, in the order given", () => {
    expect(names("worker:2, ps:1")).toEqual(["worker/0", "worker/1", "ps/0"]);
  });

  it.each([
    ["worker", '"worker" is no job with tasks.'],
    ["worker:0", '"worker:0" is no job with tasks.'],
    ["worker:1,worker:2", "The job worker is given twice."],
    ["chief:2", "A cluster has one chief."],
    ["coordinator:1", 'TensorFlow calls the job "coordinator" chief.'],
    ["worker:65", "65 tasks are too many."],
    ["wor ker:1", '"wor ker:1" is no job with tasks.'],
    ["", '"" is no job with tasks.'],
  ])("refuse %j", (text, message) => {
    expect(() => parseTasks(text)).toThrow(message);
  });

  it("end with the chief if there are parameter servers, otherwise with the last that is no server", () => {
    expect(leaders("chief:1,worker:2,ps:1")).toEqual(["chief/0"]);
    expect(leaders("chief:1,worker:1")).toEqual(["chief/0", "worker/0"]);
    expect(leaders("ps:1,worker:2")).toEqual(["worker/0", "worker/1"]);
    expect(leaders("worker:1,evaluator:1")).toEqual(["worker/0"]);
    expect(leaders("ps:2")).toEqual(["ps/0", "ps/1"]);
  });

  it("restart alone only if their state is elsewhere", () => {
    const worker = { job: "worker", index: 1 };
    expect(restartsAlone(worker, parseTasks("ps:1,worker:2"))).toBe(true);
    expect(restartsAlone(worker, parseTasks("worker:2"))).toBe(false);
    expect(restartsAlone({ job: "ps", index: 0 }, parseTasks("ps:1,worker:2"))).toBe(false);
  });
});
