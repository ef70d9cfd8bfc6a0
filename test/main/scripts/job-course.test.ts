import { describe, expect, it } from "vitest";
import { JobCourse, type JobInstruction } from "../../../main/scripts/job-course.js";
import { parseTasks } from "../../../main/scripts/script-tasks.js";
import { shortTaskText } from "../../../worker-runtime/cluster/device-name.js";

const SUCCESS = { code: 0, signal: null };
const FAILURE = { code: 3, signal: null };
const ENDED = { code: null, signal: "SIGTERM" };

function begun(on: string, restarts = 0) {
  const tasks = parseTasks(on);
  const course = new JobCourse({ tasks, restarts });
  expect(text(course.begin())).toEqual([`start ${tasks.map(shortTaskText).join(" ")}`]);
  const exited = (name: string, exit: { code: number | null; signal: string | null }) => {
    const [job = "", index] = name.split("/");
    return text(course.exited({ job, index: Number(index) }, exit));
  };
  return { course, exited };
}

const text = (instructions: readonly JobInstruction[]) =>
  instructions.map(({ kind, tasks }) => `${kind} ${tasks.map(shortTaskText).join(" ")}`);

describe("the course of a script job", () => {
  it("succeeds when every worker has", () => {
    const { course, exited } = begun("worker:2");
    expect(exited("worker/1", SUCCESS)).toEqual([]);
    expect(course.outcome).toBeUndefined();
    expect(exited("worker/0", SUCCESS)).toEqual([]);
    expect(course.outcome).toEqual({ kind: "succeeded" });
  });

  it("ends parameter servers and workers with their chief", () => {
    const { course, exited } = begun("chief:1,worker:1,ps:1");
    expect(exited("chief/0", SUCCESS)).toEqual(["end worker/0 ps/0"]);
    expect(exited("ps/0", ENDED)).toEqual([]);
    expect(course.outcome).toBeUndefined();
    expect(exited("worker/0", ENDED)).toEqual([]);
    expect(course.outcome).toEqual({ kind: "succeeded" });
  });

  it("fails with the first task that does, and ends the others", () => {
    const { course, exited } = begun("worker:3");
    expect(exited("worker/1", FAILURE)).toEqual(["end worker/0 worker/2"]);
    expect(exited("worker/0", { code: 1, signal: null })).toEqual([]);
    expect(exited("worker/2", ENDED)).toEqual([]);
    expect(course.outcome).toEqual({ kind: "failed", task: { job: "worker", index: 1 }, exit: FAILURE });
  });

  it("counts a parameter server that dies as a failure", () => {
    const { exited, course } = begun("ps:1,worker:1");
    expect(exited("ps/0", { code: null, signal: "SIGKILL" })).toEqual(["end worker/0"]);
    exited("worker/0", ENDED);
    expect(course.outcome).toMatchObject({ kind: "failed", task: { job: "ps" } });
  });

  it("starts a worker with parameter servers again alone, as often as allowed", () => {
    const { exited } = begun("ps:1,worker:2", 1);
    expect(exited("worker/1", FAILURE)).toEqual(["start worker/1"]);
    expect(exited("worker/1", FAILURE)).toEqual(["end ps/0 worker/0"]);
  });

  it("starts all workers of a collective again, once each of them has ended", () => {
    const { course, exited } = begun("worker:2", 1);
    expect(exited("worker/0", FAILURE)).toEqual(["end worker/1"]);
    expect(course.willRenew).toBe(true);
    expect(exited("worker/1", ENDED)).toEqual(["start worker/0 worker/1"]);
    expect(course.restartsLeft).toBe(0);
    exited("worker/0", SUCCESS);
    exited("worker/1", SUCCESS);
    expect(course.outcome).toEqual({ kind: "succeeded" });
  });

  it("stops once, also between two rounds", () => {
    const { course, exited } = begun("worker:2", 5);
    exited("worker/0", FAILURE);
    expect(text(course.stop())).toEqual(["end worker/1"]);
    expect(course.stop()).toEqual([]);
    expect(exited("worker/1", ENDED)).toEqual([]);
    expect(course.outcome).toEqual({ kind: "stopped" });
  });
});
