/** A process that reports the machine's GPUs and exits. Started by list-adapters.ts: a driver may crash. */
import { writeSync } from "node:fs";
import type { Adapter, AdaptersAnswer } from "./adapter.js";

async function adapters(): Promise<Adapter[]> {
  switch (process.platform) {
    case "win32":
      return (await import("./dxgi-adapters.js")).dxgiAdapters();
    case "darwin":
      return await (await import("./metal-adapters.js")).metalAdapters();
    default:
      return (await import("./vulkan-adapters.js")).vulkanAdapters();
  }
}

async function answer(): Promise<AdaptersAnswer> {
  try {
    return { adapters: await adapters() };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

writeSync(1, `${JSON.stringify(await answer())}\n`);
process.exit(0);
