/** `tensordeck submit` with a script for Windows' Python. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "../check.js";
import { interrupted } from "./interrupt.js";
import { bringPython } from "./python.js";
import type { StartOptions, WineMachine } from "./wine-machine.js";

const FOLDER = "/trial/Skript é";
const ARGUMENTS = ["--epochs", "3", 'a b"c', "%PATH%", "größer & kleiner", "Z:\\end\\"];

export function submit(machine: WineMachine): readonly Check[] {
  /** The script in a folder of its own, and what a program that finds the Python is started with. */
  const prepare = async (): Promise<StartOptions> => {
    rmSync(machine.file(FOLDER), { recursive: true, force: true });
    writeScript(machine.file(FOLDER));
    return { ...(await bringPython(machine)), cwd: FOLDER };
  };
  const submitted = async (args: readonly string[]) =>
    machine.runTensordeck(["submit", "train é.py", "--on", "worker:2,ps:1", "--", ...args], await prepare());
  return [
    {
      name: "submit: a script as a ps and two workers has TF_CONFIG, its arguments, its folder and its files",
      run: async () => {
        const { code, output } = await submitted(ARGUMENTS);
        assert.equal(code, 0, output);
        const folder = machine.windowsPath(FOLDER);
        for (const [job, index] of [
          ["ps", 0],
          ["worker", 0],
          ["worker", 1],
        ] as const) {
          const told = new RegExp(`^${job}/${index} +\\| told (.*)$`, "m").exec(output)?.[1] ?? "null";
          const { arguments: given, folder: own, data, task } = JSON.parse(told);
          assert.deepEqual(
            { given, own, data, task },
            { given: ARGUMENTS, own: folder, data: "Größe 7", task: { type: job, index } },
          );
        }
        // Whichever comes last is told the sum of both.
        assert.match(output, /^worker\/\d \| sum 3$/m, output);
        for (const index of [0, 1]) {
          const written = readFileSync(machine.file(`${FOLDER}/Ergebnis/worker ${index}.txt`), "utf8");
          assert.equal(written, "fertig é\n");
        }
      },
    },
    {
      name: "submit: a task that fails is named with its exit code, which is the job's, and its error",
      run: async () => {
        const { code, output } = await submitted(["--fail"]);
        assert.equal(code, 7, output);
        assert.match(output, /^tensordeck: worker\/1 failed \(exit code 7\)\./m);
        assert.match(output, /^worker\/1 \| es schlug fehl: größer$/m);
      },
    },
    {
      name: "submit: a task that is killed is named, and the others end",
      run: async () => {
        const options = await prepare();
        const job = await machine.tensordeck(
          ["submit", "train é.py", "--on", "worker:2,ps:1", "--", "--wait"],
          { ...options, ready: /^worker\/1 \| waits as (\d+)$/m },
        );
        const pid = Number(job.match?.[1]);
        await job.waitForOutput(/^worker\/0 \| waits as \d+$/m);
        await machine.evaluate(`process.kill(${pid}, "SIGKILL");`);
        const { code } = await job.exited;
        assert.equal(code, 1, job.output());
        assert.match(job.output(), /^tensordeck: worker\/1 failed \(exit code 1\)\./m);
        assert.deepEqual(await pythons(machine), []);
      },
    },
    {
      name: "submit: Ctrl+C ends all tasks",
      run: async () => {
        const args = ["submit", "train é.py", "--on", "worker:1", "--", "--wait"];
        const log = await interrupted(machine, args, "waits as", await prepare());
        assert.match(log, /^pressed 1$/m, log);
        assert.match(log, /^tensordeck: ending all tasks; press Ctrl\+C again/m, log);
        assert.match(log, /^ended with 130 null$/m, log);
        assert.deepEqual(await pythons(machine), []);
      },
    },
  ];
}

/** Makes `train é.py` and the file that it reads. Its two workers send numbers to the ps, which tells each the sum. */
export function writeScript(folder: string): void {
  mkdirSync(join(folder, "Daten"), { recursive: true });
  writeFileSync(join(folder, "Daten/größe.txt"), "Größe 7\n");
  writeFileSync(join(folder, "train é.py"), SCRIPT);
}

/** The Pythons that run on the machine. */
async function pythons(machine: WineMachine): Promise<string[]> {
  const { output } = await machine.runProgram("tasklist", []);
  assert.match(output, /tasklist\.exe/i);
  return output.split("\n").filter((line) => /^python/i.test(line));
}

const SCRIPT = `
import json, os, socket, sys, time
config = json.loads(os.environ.get("TF_CONFIG", '{"task": {"type": "worker", "index": 0}}'))
task = config["task"]
if "--wait" in sys.argv and task["type"] == "worker":
    print("waits as", os.getpid())
    while True:
        time.sleep(1)
with open("Daten/größe.txt", encoding="utf-8") as file:
    told = {"arguments": sys.argv[1:], "folder": os.getcwd(), "data": file.read().strip(), "task": task}
print("told", json.dumps(told, ensure_ascii=False))
port = int(config["cluster"]["ps"][0].split(":")[1])
if task["type"] == "ps":
    server = socket.create_server(("127.0.0.1", port))
    total = 0
    while True:
        connection, _ = server.accept()
        total += int(connection.recv(100))
        connection.sendall(str(total).encode())
        connection.close()
total = b""
while not total:
    # A tunnel accepts before the ps does, and ends then.
    try:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(str(task["index"] + 1).encode())
            total = connection.recv(100)
    except OSError:
        time.sleep(0.2)
print("sum", total.decode())
os.makedirs("Ergebnis", exist_ok=True)
with open(f"Ergebnis/worker {task['index']}.txt", "w", encoding="utf-8", newline="") as file:
    file.write("fertig é\\n")
if "--fail" in sys.argv and task["index"] == 1:
    print("es schlug fehl: größer", file=sys.stderr)
    sys.exit(7)
`;
