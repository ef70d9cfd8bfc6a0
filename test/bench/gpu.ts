import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { AdaptersAnswer } from "../../worker-runtime/engines/portable/gpu/adapter.js";
import { listAdapters } from "../../worker-runtime/engines/portable/gpu/list-adapters.js";
import { tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import { cliMain, firstCuda } from "./portable-clusters.js";
import { gpuLines } from "./portable-lines.js";
import { Clusters, measureInTurns } from "./portable-turns.js";
import { type Measurement, type Row, rowText } from "./report.js";

const CUDA_DEVICES = `
import tensorflow as tf
print(len(tf.config.list_physical_devices("GPU")))
`;

/** Why nothing can be measured on a GPU; undefined if something can. */
export function gpuLack(answer: AdaptersAnswer): string | undefined {
  if ("problem" in answer) return `no GPU was found: ${answer.problem}`;
  const software = answer.adapters.map(({ name }) => name).join(", ");
  if (answer.adapters.some(({ kind }) => kind !== "software")) return undefined;
  return software === "" ? "no GPU was found" : `no GPU was found, only software: ${software}`;
}

/** Whether TensorFlow for Python computes on a GPU here. */
function hasCuda(): boolean {
  const env = { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "3", ...firstCuda };
  return Number(execFileSync(tensorflowPython(), ["-c", CUDA_DEVICES], { encoding: "utf8", env }).trim()) > 0;
}

/** Workers with a GPU, in turns with the same workers without, and with TensorFlow's where its Python sees a GPU. */
export const gpuMeasurement: Measurement = {
  name: "the portable engine on a GPU against its CPU, and against TensorFlow with CUDA",
  lines: Object.keys(gpuLines),
  async run({ lines = gpuMeasurement.lines ?? [], progress }): Promise<readonly Row[]> {
    if (!existsSync(cliMain)) throw new Error("Tensordeck is not built: run npm run build.");
    const chosen = Object.entries(gpuLines).flatMap(([name, line]) => (lines.includes(name) ? [line] : []));
    const lack = gpuLack(await listAdapters());
    const rows: Row[] = [];
    const add = (row: Row): void => {
      rows.push(row);
      progress(rowText(row));
    };
    if (lack !== undefined) {
      for (const { what, unit } of chosen) add({ what, unit, ours: undefined, theirs: undefined, lack });
      return rows;
    }
    const others = [
      { kind: "portable", theirName: "our CPU" },
      ...(hasCuda() ? [{ kind: "stock-cuda", theirName: "TensorFlow's CUDA" } as const] : []),
    ] as const;
    const clusters = new Clusters(["portable-gpu", ...others.map(({ kind }) => kind)], 1, progress);
    try {
      for (const line of chosen) {
        const [ours, ...theirs] = await measureInTurns(line, clusters, progress);
        others.forEach(({ theirName }, index) => {
          add({ what: `${line.what}, GPU`, unit: line.unit, ours, theirs: theirs[index], theirName });
        });
      }
    } finally {
      await clusters.dispose();
    }
    return rows;
  },
};
