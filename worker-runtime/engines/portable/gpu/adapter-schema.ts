import { z } from "zod";

/** A GPU as the system's graphics interface describes it: Vulkan on Linux, DXGI on Windows, Metal on macOS. */
export const adapterSchema = z.object({
  /** "NVIDIA GeForce RTX 4090". */
  name: z.string(),
  /** "software" computes on the CPU: useful only for tests. */
  kind: z.enum(["discrete", "integrated", "virtual", "software", "other"]),
  /** Dedicated memory, or its share of the machine's memory. */
  memoryBytes: z.number(),
  /** The PCI vendor ID; 0 if the system does not provide it. */
  vendor: z.number(),
  /** Its number in the system's order, which DirectML uses. */
  number: z.number(),
  /** Its locally unique ID on Windows, as the names of performance counters have it: "0x00000000_0x0000C5A9". */
  luid: z.string().optional(),
});

/** The result of a search for adapters, also as sent by the searching process (adapters-process.ts). */
export const adaptersAnswerSchema = z.union([
  z.object({ adapters: z.array(adapterSchema) }),
  /** The reason why none could be listed: no driver, no Vulkan loader. */
  z.object({ problem: z.string() }),
]);
