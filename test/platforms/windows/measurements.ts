/** What is measured each second comes from Windows' own libraries: without PowerShell, which Wine has not. */
import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import type { Check } from "../check.js";
import { compile } from "./compile.js";
import { DLL_OVERRIDES, type WineMachine } from "./wine-machine.js";

const PDH = "/root/wine/drive_c/windows/system32/pdh.dll";
const TENSORDECK = "/tensordeck/build/bin/tensordeck.mjs";

export function measurements(machine: WineMachine): readonly Check[] {
  const modules = (...paths: readonly string[]) =>
    paths.map((path) => `await import(${JSON.stringify(machine.moduleUrl(path))})`).join(", ");
  /** Evaluates a module that prints JSON, with what other modules export in front. */
  const ask = async <T>(names: string, path: string, body: string): Promise<T> =>
    JSON.parse(await machine.evaluate(`const { ${names} } = ${modules(path)};\n${body}`)) as T;

  return [
    {
      name: "processor time and memory of a process, with those of the processes that it has started",
      run: async () => {
        const found = await ask<{
          readonly alone: readonly Usage[];
          readonly together: readonly Usage[];
          readonly separate: readonly Usage[];
          readonly own: Usage;
        }>("usageReader", "main/tasks/usage-reader.js", USAGE);
        const [alone, together] = [found.alone[0], found.together[0]];
        assert.ok(alone !== undefined && together !== undefined, JSON.stringify(found));
        // Measured by Node itself a moment later.
        assert.ok(alone.cpuMillis <= found.own.cpuMillis + 50, JSON.stringify(found));
        assert.ok(alone.cpuMillis > 100, JSON.stringify(found));
        assert.ok(alone.memoryBytes > 10e6 && alone.memoryBytes < 2e9, JSON.stringify(found));
        assert.ok(together.cpuMillis >= alone.cpuMillis + 400, JSON.stringify(found));
        assert.ok(together.memoryBytes > alone.memoryBytes + 10e6, JSON.stringify(found));
        // Each of two tasks by itself; a process that does not exist is left out.
        assert.equal(found.separate.length, 2);
        assert.ok((found.separate[0]?.cpuMillis ?? Infinity) < together.cpuMillis, JSON.stringify(found));
      },
    },
    {
      name: "a thousand measurements leave no handle behind",
      run: async () => {
        const { before, after } = await ask<{ readonly before: number; readonly after: number }>(
          "listProcesses, measureProcess",
          "worker-runtime/windows/processes.js",
          `const { createRequire } = await import("node:module");
          const koffi = createRequire("Z:\\\\tensordeck\\\\package.json")("koffi");
          const kernel32 = koffi.load("C:\\\\windows\\\\system32\\\\kernel32.dll");
          const open = kernel32.func("intptr_t __stdcall OpenProcess(uint32_t access, int inherit, uint32_t pid)");
          const close = kernel32.func("int __stdcall CloseHandle(intptr_t handle)");
          // Wine counts no handles, but gives the lowest number that is free.
          const handles = () => { const handle = open(0x1000, 0, process.pid); close(handle); return handle / 4; };
          const read = () => { listProcesses(); measureProcess(process.pid); measureProcess(4_000_000); };
          read();
          const before = handles();
          for (let i = 0; i < 1000; i++) read();
          console.log(JSON.stringify({ before, after: handles() }));`,
        );
        assert.ok(before > 0 && after < before + 20, `${before} handles before, ${after} after`);
      },
    },
    {
      name: "the owner of a port that is taken, over IPv4 and IPv6, and the words of `worker` about it",
      run: async () => {
        const script = `const { createServer } = await import("node:net");
          const found = [];
          for (const host of ["127.0.0.1", "0.0.0.0", "::1"]) {
            const server = createServer();
            await new Promise((resolve) => server.listen(0, host, resolve));
            const { port } = server.address();
            const holder = await portHolder(port);
            await new Promise((resolve) => server.close(resolve));
            found.push({ own: holder?.pid === process.pid, name: holder?.name, after: (await portHolder(port)) ?? null });
          }
          console.log(JSON.stringify(found));`;
        const own = { own: true, name: "node.exe", after: null };
        assert.deepEqual(await ask("portHolder", "worker-runtime/engines/port-holder.js", script), [
          own,
          own,
          own,
        ]);
        const program = machine.windowsPath(TENSORDECK);
        const worker = await machine.node([program, "worker", "--engine", "portable"], {
          ready: /^target grpc:\/\/\S+:(\d+)$/m,
        });
        try {
          const port = worker.match?.[1] ?? "";
          const second = await machine.node([program, "worker", "--engine", "portable", "--port", port]);
          const { code } = await second.exited;
          assert.notEqual(code, 0, second.output());
          assert.match(
            second.output(),
            new RegExp(`port ${port} is in use by node\\.exe \\(process \\d+\\)`),
          );
        } finally {
          await worker.stop();
        }
      },
    },
    {
      name: "the traffic of the interfaces, by the names that Node gives them",
      run: async () => {
        const found = await ask<{ readonly read: readonly Interface[]; readonly node: readonly string[] }>(
          "readInterfaces",
          "worker-runtime/windows/interfaces.js",
          `console.log(JSON.stringify({
            read: await readInterfaces(),
            node: Object.keys((await import("node:os")).networkInterfaces()),
          }));`,
        );
        const names = found.read.map(({ name }) => name);
        assert.deepEqual(
          found.node.filter((name) => !names.includes(name)),
          [],
          JSON.stringify(found),
        );
        assert.ok(found.read.some(({ isLoopback }) => isLoopback));
        assert.ok(
          found.read.some(({ isLoopback, received, sent }) => !isLoopback && received + sent > 1e6),
          JSON.stringify(found),
        );
      },
    },
    {
      name: "the load of a GPU, by a stand-in for pdh.dll; without counters none",
      run: async () => {
        const script = (
          luid: string,
        ) => `const { WindowsGpuUsage } = ${modules("main/machine/windows-gpu-usage.js")};
          const usage = new WindowsGpuUsage();
          const read = () => usage.read({ luid: "${luid}", kind: "discrete" });
          console.log(JSON.stringify([await read(), await read(), await read()]));`;
        const luid = "0x00000000_0x0000C5A9";
        // Wine's has none.
        assert.match(await machine.evaluate(script(luid)), /cannot be measured[\s\S]*\[\{\},\{\},\{\}\]/);
        const kept = machine.file(`${PDH}.kept`);
        cpSync(machine.file(PDH), kept);
        try {
          compile("stand-in-pdh.c", machine.file(PDH), "-shared");
          const env = { WINEDLLOVERRIDES: `${DLL_OVERRIDES};pdh=n` };
          const measured = { busyPercent: 42, usedBytes: 3e9 };
          assert.deepEqual(JSON.parse(await machine.evaluate(script(luid), { env })), [
            {},
            measured,
            measured,
          ]);
        } finally {
          cpSync(kept, machine.file(PDH));
          rmSync(kept);
        }
      },
    },
    {
      name: "failures are told in Windows' words, and without koffi nothing is measured and nothing breaks",
      run: async () => {
        const error = await ask<string>(
          "windowsError",
          "worker-runtime/windows/windows-library.js",
          'console.log(JSON.stringify(windowsError("OpenProcess", 5).message));',
        );
        assert.match(error, /^OpenProcess failed: Access (?:is )?denied \(error 5\)\.$/);
        const output = await machine.evaluate(`const { Module } = await import("node:module");
          const resolve = Module._resolveFilename;
          Module._resolveFilename = function (name, ...rest) {
            if (name === "koffi") throw new Error("koffi has no binary here");
            return resolve.call(this, name, ...rest);
          };
          const [{ usageReader }, { portHolder }, { readMachine }] =
            [${modules("main/tasks/usage-reader.js", "worker-runtime/engines/port-holder.js", "main/machine/metrics.js")}];
          const read = usageReader();
          console.log(JSON.stringify([
            [...await read([process.pid]), ...await read([process.pid])],
            (await portHolder(1)) ?? null,
            (await readMachine()).network ?? null,
          ]));`);
        assert.match(output, /\[\[\],null,null\]/);
        assert.equal(output.match(/tasks cannot be measured: koffi has no binary here/g)?.length, 1, output);
      },
    },
  ];
}

interface Usage {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

interface Interface {
  readonly name: string;
  readonly isLoopback: boolean;
  readonly received: number;
  readonly sent: number;
}

/** Measures a process alone, with a child that has worked for half a second and waits, and both as tasks of their own. */
const USAGE = `const { spawn } = await import("node:child_process");
const spin = (millis) => { const began = process.cpuUsage(); let used = 0;
  while (used < millis * 1000) { const { user, system } = process.cpuUsage(began); used = user + system; } };
spin(200);
const read = usageReader();
const usages = async (...pids) => [...(await read(pids)).values()];
const alone = await usages(process.pid);
const { user, system } = process.cpuUsage();
const child = spawn(process.execPath, ["-e", \`(\${spin})(500); require("fs").writeSync(1, "ready"); setInterval(() => {}, 1000)\`],
  { stdio: ["ignore", "pipe", "inherit"] });
await new Promise((resolve) => child.stdout.once("data", resolve));
const together = await usages(process.pid);
const separate = await usages(process.pid, child.pid, 4_000_000);
child.kill();
console.log(JSON.stringify({ alone, together, separate,
  own: { cpuMillis: (user + system) / 1000, memoryBytes: process.memoryUsage.rss() } }));
process.exit(0);`;
