import { describe, expect, test } from "vitest";
import { type CommandSpec, helpText, parseArgs } from "../../../worker-runtime/cli/args.js";
import { readWorkerOptions } from "../../../worker-runtime/cli/worker-options.js";

const command: CommandSpec = {
  name: "tensordeck test",
  summary: "Is tested.",
  flags: [
    { name: "job_name", value: "NAME", help: "The job." },
    { name: "task_index", value: "N", help: "Its number." },
    { name: "feed", value: "X", help: "A feed.", repeated: true },
    { name: "dry_run", help: "Only show." },
  ],
};
const withFiles: CommandSpec = { ...command, positionals: "FILE" };

describe("flags", () => {
  test("values come with = or after a space; dashes and underscores are the same", () => {
    const args = parseArgs(command, [
      "--job-name=a=b",
      "--task_index",
      "3",
      "--feed",
      "1",
      "--feed=2",
      "--dry-run",
    ]);
    expect(args.get("job_name")).toBe("a=b");
    expect(args.integer("task_index", 0, 9)).toBe(3);
    expect(args.all("feed")).toEqual(["1", "2"]);
    expect(args.has("dry_run")).toBe(true);
    expect(args.has("help")).toBe(false);
  });

  test("the last of several counts, a negative number is a value, and -- ends the flags", () => {
    const args = parseArgs(withFiles, [
      "--job_name=a",
      "--job_name=b",
      "--task_index",
      "-1",
      "x",
      "--",
      "--y",
    ]);
    expect(args.get("job_name")).toBe("b");
    expect(args.get("task_index")).toBe("-1");
    expect(args.positionals).toEqual(["x", "--y"]);
    expect(parseArgs(command, ["--dry_run", "--no-dry-run"]).has("dry_run")).toBe(false);
  });

  test.each([
    [["--job_nam=a"], "no flag --job_nam. Did you mean --job_name?"],
    [["--quite-something-else"], "no flag --quite-something-else. See"],
    [["--job_name"], "--job_name needs a value"],
    [["--job_name", "--dry_run"], "--job_name needs a value"],
    [["--dry_run=maybe"], "--dry_run takes no value"],
    [["stray"], 'takes flags only, but was given "stray"'],
  ])("%j is refused", (args, text) => {
    expect(() => parseArgs(command, args)).toThrow(text);
  });

  test.each(["", " ", "1.5", "x", "10"])("%j is no whole number from 0 to 9", (text) => {
    expect(() => parseArgs(command, [`--task_index=${text}`]).integer("task_index", 0, 9)).toThrow(
      "must be a whole number from 0 to 9",
    );
  });

  test("a flag may have a letter of its own", () => {
    const spec = { name: "x", summary: "", flags: [{ name: "output", short: "o", value: "FILE", help: "" }] };
    expect(parseArgs(spec, ["-o", "a"]).get("output")).toBe("a");
    expect(parseArgs({ ...spec, positionals: "N" }, ["-p", "-1"]).positionals).toEqual(["-p", "-1"]);
    expect(helpText(spec)).toContain("-o, --output FILE");
  });

  test("the help fits a terminal and names every flag", () => {
    const help = helpText(command);
    for (const flag of ["--job_name NAME", "--task_index N", "--feed X", "--dry_run", "--help"]) {
      expect(help).toContain(flag);
    }
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe("a worker's options", () => {
  const read = async (args: string[], env = {}) => (await readWorkerOptions(args, env)).serverDef;

  test("flags win over TF_CONFIG, which wins over nothing", async () => {
    const TF_CONFIG = JSON.stringify({
      cluster: { worker: ["a:1", "b:2"] },
      task: { type: "worker", index: 1 },
    });
    expect(await read([], { TF_CONFIG })).toMatchObject({ jobName: "worker", taskIndex: 1 });
    expect(await read(["--task_index=0"], { TF_CONFIG })).toMatchObject({ taskIndex: 0 });
    expect(await read(["--ps_hosts=c:3"], { TF_CONFIG })).toMatchObject({ jobName: "ps", taskIndex: 0 });
    const local = await read([], { TF_CONFIG: "" });
    expect(local.cluster?.job.map(({ name, tasks }) => [name, tasks.get(0)])).toEqual([
      ["localhost", "localhost:0"],
    ]);
    expect((await read(["--port=2222"])).cluster?.job[0]?.tasks.get(0)).toBe("localhost:2222");
  });

  test.each([
    [["--server_def=x", "--job_name=a"], "--server_def describes the cluster"],
    [["--cluster=x", "--ps_hosts=a:1"], "Specify the cluster once"],
    [["--task_index=1"], "requires a cluster"],
    [["--gpu=all"], "--gpu must be auto, none, or numbers"],
    [["--engine=torch"], "--engine must be one of tensorflow, portable"],
    [["--port=70000"], "--port must be a whole number"],
    [["--worker_hosts=a:1,b:2"], "Must specify an explicit task index"],
  ])("%j is refused", async (args, text) => {
    await expect(read(args)).rejects.toThrow(text);
  });
});
