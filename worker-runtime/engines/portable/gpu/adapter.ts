import type { z } from "zod";
import type { adapterSchema, adaptersAnswerSchema } from "./adapter-schema.js";

export type Adapter = z.infer<typeof adapterSchema>;
export type AdaptersAnswer = z.infer<typeof adaptersAnswerSchema>;

/** If set to 1, a software adapter also counts as a GPU, for tests. */
const SOFTWARE_VARIABLE = "TENSORDECK_SOFTWARE_GPU";

/** Whether a task uses an adapter without being given its number. A software adapter is slower than our own kernels. */
export function isUsedUnasked(
  { kind }: Adapter,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  return kind !== "software" || env[SOFTWARE_VARIABLE] === "1";
}

const PREFERENCE: readonly Adapter["kind"][] = ["discrete", "integrated", "virtual", "other", "software"];

/** In WebGPU's order of preference for high performance: it uses the first. */
export function byPreference(adapters: readonly Adapter[]): Adapter[] {
  return adapters.toSorted((one, other) => PREFERENCE.indexOf(one.kind) - PREFERENCE.indexOf(other.kind));
}
