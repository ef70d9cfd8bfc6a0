import { describe, expect, it } from "vitest";
import { taskFailure } from "../../../main/scripts/task-failure.js";

const task = { job: "worker", index: 1 };
const failed = { task, exit: { code: 1, signal: null } };

describe("why a task failed", () => {
  it("is the error of the last traceback and its innermost line in the script", () => {
    const lines = [
      "Traceback (most recent call last):",
      '  File "old.py", line 1, in <module>',
      "KeyError: 'old'",
      "During handling of the above exception, another exception occurred:",
      "Traceback (most recent call last):",
      '  File "/job/train.py", line 58, in <module>',
      "    step()",
      '  File "/venv/lib/python3.11/site-packages/tensorflow/x.py", line 9, in f',
      "    raise e",
      "tensorflow.python.framework.errors_impl.UnavailableError: ps is gone",
      "W0000 00:00:17 something afterwards",
    ];
    expect(taskFailure({ ...failed, lines })).toMatchObject({
      message: "worker/1 failed (exit code 1).",
      reason: "tensorflow.python.framework.errors_impl.UnavailableError: ps is gone",
      details: "/job/train.py, line 58",
    });
  });

  it("names the package of a missing module and where to list it", () => {
    const lines = [
      "Traceback (most recent call last):",
      '  File "t.py", line 1',
      "ModuleNotFoundError: No module named 'cv2'",
    ];
    expect(taskFailure({ ...failed, lines, requirements: "requirements.txt" }).remedy).toBe(
      "Add opencv-python to requirements.txt.",
    );
    expect(taskFailure({ ...failed, lines }).remedy).toBe(
      "List opencv-python in a requirements.txt beside the script, or choose a Python that has it (Python in the dialog, --python on the command line).",
    );
  });

  it("says that an isolated script has no network", () => {
    const lines = ["URLError: <urlopen error [Errno -3] Temporary failure in name resolution>"];
    expect(taskFailure({ ...failed, lines, isolated: true }).remedy).toContain("--network");
    expect(taskFailure({ ...failed, lines }).remedy).toBeUndefined();
  });

  it("says what to do where memory ran out, and names another machine", () => {
    const lines = [
      "Traceback (most recent call last):",
      '  File "/job/train.py", line 58, in <module>',
      "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor",
    ];
    expect(taskFailure({ ...failed, lines, machine: "pi" })).toMatchObject({
      message: "worker/1 on pi failed (exit code 1).",
      remedy:
        "Use smaller batches, run worker/1 on a device or machine with more memory, or end what else uses it.",
    });
  });

  it("is the signal where there is no traceback", () => {
    const killed = taskFailure({ task, exit: { code: null, signal: "SIGKILL" }, lines: ["step 3"] });
    expect(killed.message).toBe("worker/1 failed (signal SIGKILL).");
    expect(killed.reason).toContain("memory ran out");
  });
});
