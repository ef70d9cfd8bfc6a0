/**
 * A process that loads one library, reports its version, and ends. Started by probe.ts; load.ts explains why this needs
 * a separate process.
 */
import { writeFileSync, writeSync } from "node:fs";
import { z } from "zod";
import { exitNow } from "../exit-now.js";
import { loadTensorFlow } from "./load.js";
import type { ProbeAnswer } from "./probe.js";

const requestSchema = z.object({
  path: z.string(),
  preload: z.array(z.string()),
  opListFile: z.string(),
});

function answer(): ProbeAnswer {
  try {
    const request = requestSchema.parse(JSON.parse(process.argv[2] ?? ""));
    const library = loadTensorFlow({ ...request, gpuPreload: [] }, false);
    writeFileSync(request.opListFile, library.opList());
    return { version: library.version, gpu: library.gpu ?? null };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

writeSync(1, `${JSON.stringify(answer())}\n`);
exitNow(0);
