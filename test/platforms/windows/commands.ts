/** The command line, as a user of Windows types it. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { freePort } from "../../support/free-port.js";
import type { Check } from "../check.js";
import { FOLDER, GRAPH } from "../hand-made-graph.js";
import { TARGET } from "../stock/stock-clients.js";
import { interrupted } from "./interrupt.js";
import type { WineMachine } from "./wine-machine.js";

/** Each is a program of its own. */
export function commands(machine: WineMachine): readonly Check[] {
  const write = (path: string) => {
    mkdirSync(machine.file(dirname(path)), { recursive: true });
    writeFileSync(machine.file(path), GRAPH);
  };
  const computes = async (file: string, cwd = "/trial") => {
    const { code, output } = await machine.runTensordeck(["run", file, "--fetch", "x:0"], { cwd });
    assert.match(output, /^x:0 +float32 \[\]\n7\.0$/m, `${file}:\n${output}`);
    assert.equal(code, 0, output);
  };
  return [
    {
      name: "run example:welcome",
      run: async () => {
        const { code, output } = await machine.runTensordeck(["run", "example:welcome"]);
        assert.match(output, /^z:0 +float32 \[\]\n11\.0$/m);
        assert.equal(code, 0, output);
      },
    },
    {
      name: "graphs by names with spaces and umlauts: relative, by drive letter, with slashes, from the root of a drive",
      run: async () => {
        rmSync(machine.file("/trial"), { recursive: true, force: true });
        const path = `${FOLDER}/größer als a & b (1).pbtxt`;
        write(path);
        await computes("größer als a & b (1).pbtxt", FOLDER);
        await computes(".\\größer als a & b (1).pbtxt", FOLDER);
        const full = machine.windowsPath(path);
        await computes(full);
        await computes(full.replaceAll("\\", "/").replace(/^Z:/, "z:"));
        await computes(full.replace(/^Z:/, ""));
      },
    },
    {
      name: "a graph by a path of more than 260 characters, also as \\\\?\\Z:\\…",
      run: async () => {
        const path = `/trial/${Array.from({ length: 6 }, (_, index) => `${"long ".repeat(10)}${index}`).join("/")}/x.pbtxt`;
        assert.ok(path.length > 300);
        write(path);
        await computes(machine.windowsPath(path));
        await computes(`\\\\?\\${machine.windowsPath(path)}`);
      },
    },
    {
      name: "a graph by a path of a share (UNC)",
      run: async () => {
        // Where Wine looks for shares: a folder for each server.
        write("/root/wine/dosdevices/unc/server/share é/x.pbtxt");
        await computes("\\\\server\\share é\\x.pbtxt");
        const { code, output } = await machine.runTensordeck(["run", "\\\\server\\nowhere\\x.pbtxt"]);
        assert.notEqual(code, 0);
        assert.match(output, /\\\\server\\nowhere\\x\.pbtxt/);
      },
    },
    {
      name: "doctor finds no errors",
      run: async () => {
        const { code, output } = await machine.runTensordeck(["doctor"]);
        assert.match(output, /^ +[✓–] runtime /m);
        assert.match(output, /Found no errors/);
        assert.equal(code, 0, output);
      },
    },
    {
      name: "Ctrl+C ends a worker in good order",
      run: async () => {
        const port = String(await freePort());
        const args = ["worker", "--engine", "portable", "--port", port];
        const log = await interrupted(machine, args, "target grpc:");
        assert.match(log, TARGET);
        assert.match(log, /^pressed 1\nended with 0 null$/m, log);
      },
    },
    {
      name: "a worker that is killed is told of to whoever runs a graph on it",
      run: async () => {
        const worker = await machine.tensordeck(["worker", "--engine", "portable"], { ready: TARGET });
        const target = worker.match?.[0].replace("target ", "") ?? "";
        await worker.stop("SIGKILL");
        const { code, output } = await machine.runTensordeck(["run", "example:welcome", "--target", target]);
        assert.notEqual(code, 0, output);
        assert.match(output, /UNAVAILABLE/);
      },
    },
    {
      name: "an agent starts and gives its device ID, and its task for the Task Scheduler",
      run: async () => {
        const data = ["--data-dir", "Z:\\trial\\Daten é"];
        const agent = await machine.tensordeck(["agent", "--port", "0", ...data], {
          ready: /^agent listening on port \d+$/m,
        });
        try {
          assert.match(agent.output(), /^device ID \w{52}$/m);
        } finally {
          await agent.stop();
        }
        const { code, output } = await machine.runTensordeck([
          ...["agent", "service", "--to", "windows", "--name", "O’Brien's PC", ...data],
        ]);
        assert.equal(code, 0, output);
        assert.match(output, /<Command>Z:\\node-[\d.]+\\node\.exe<\/Command>/);
        assert.match(
          output,
          /--data-dir &#34;Z:\\trial\\Daten &#233;&#34; --name &#34;O&#8217;Brien's PC&#34;/,
        );
        assert.match(output, /--name 'O’’Brien''s PC'/);
      },
    },
  ];
}
