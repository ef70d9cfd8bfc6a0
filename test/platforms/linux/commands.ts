/** The command line, as a user types it. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { freePort } from "../../support/free-port.js";
import { FOLDER, GRAPH } from "../hand-made-graph.js";
import { TARGET } from "../stock/stock-clients.js";
import type { EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const WORKER = ["worker", "--engine", "portable", "--port"];

/** Each is a program of its own. */
export function commands(machine: EmulatedMachine): readonly LinuxCheck[] {
  return [
    {
      name: "run example:welcome",
      form: "short",
      run: async () => {
        const { code, output } = await machine.runTensordeck(["run", "example:welcome"]);
        assert.match(output, /^z:0 +float32 \[\]\n11\.0$/m);
        assert.equal(code, 0, output);
      },
    },
    {
      name: "run a graph from a folder with spaces and umlauts",
      form: "full",
      run: async () => {
        mkdirSync(machine.file(FOLDER), { recursive: true });
        writeFileSync(machine.file(`${FOLDER}/größer als a.pbtxt`), GRAPH);
        const { code, output } = await machine.runTensordeck(
          ["run", "größer als a.pbtxt", "--fetch", "x:0"],
          { cwd: FOLDER, env: { TENSORDECK_DATA_DIR: `${FOLDER}/Daten é` } },
        );
        assert.match(output, /^x:0 +float32 \[\]\n7\.0$/m);
        assert.equal(code, 0, output);
      },
    },
    {
      name: "doctor finds no errors",
      form: "full",
      run: async () => {
        const { code, output } = await machine.runTensordeck(["doctor"]);
        assert.match(output, /^ +[✓–] runtime /m);
        assert.match(output, /Found no errors/);
        assert.equal(code, 0, output);
      },
    },
    ...(["SIGTERM", "SIGINT"] as const).map(
      (signal): LinuxCheck => ({
        name: `a worker ends in good order on ${signal}`,
        form: "full",
        run: async () => {
          const worker = await machine.tensordeck([...WORKER, String(await freePort())], { ready: TARGET });
          assert.deepEqual(await worker.stop(signal), { code: 0, signal: null }, worker.output());
        },
      }),
    ),
    {
      name: "a taken port is named, with the program that has it",
      form: "full",
      run: async () => {
        const port = String(await freePort());
        const first = await machine.tensordeck([...WORKER, port], { ready: TARGET });
        try {
          const { code, output } = await machine.runTensordeck([...WORKER, port]);
          assert.match(output, new RegExp(`port ${port} is in use by .* \\(process \\d+\\)`));
          assert.equal(code, 1, output);
        } finally {
          await first.stop();
        }
      },
    },
    {
      name: "an agent starts, and ends on SIGTERM",
      form: "full",
      run: async () => {
        const agent = await machine.tensordeck(["agent", "--port", "0"], {
          ready: /^agent listening on port \d+$/m,
        });
        assert.match(agent.output(), /^device ID \w{52}$/m);
        assert.deepEqual(await agent.stop(), { code: 0, signal: null }, agent.output());
      },
    },
  ];
}
