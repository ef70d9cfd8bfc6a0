import { totalmem } from "node:os";
import { z } from "zod";
import { runProgram } from "../../../programs/run-program.js";
import type { Adapter } from "./adapter.js";

/** Metal's limit per program on an Apple chip's unified memory, as a fraction (recommendedMaxWorkingSetSize). */
const SHARE_OF_MEMORY = 2 / 3;
const DEADLINE_MILLIS = 20_000;

const reportSchema = z.object({
  SPDisplaysDataType: z.array(
    z.object({
      _name: z.string(),
      sppci_model: z.string().optional(),
      sppci_device_type: z.string().optional(),
    }),
  ),
});

/** The GPUs of a Mac. @throws Error if system_profiler fails. */
export async function metalAdapters(): Promise<Adapter[]> {
  const { error, stdout } = await runProgram("system_profiler", ["SPDisplaysDataType", "-json"], {
    timeoutMillis: DEADLINE_MILLIS,
  });
  if (error !== undefined) {
    throw error;
  }
  return parseMetalReport(stdout, totalmem());
}

/** Parses system_profiler's report. @param memoryBytes the machine's memory. @throws Error for any other text. */
export function parseMetalReport(report: string, memoryBytes: number): Adapter[] {
  const { SPDisplaysDataType: displays } = reportSchema.parse(JSON.parse(report));
  return displays
    .filter(({ sppci_device_type: type }) => type === undefined || type === "spdisplays_gpu")
    .map(({ _name, sppci_model: model }, number) => ({
      name: model ?? _name,
      kind: "integrated",
      memoryBytes: Math.floor(memoryBytes * SHARE_OF_MEMORY),
      vendor: 0,
      number,
    }));
}
