/** Favourite ops, and those that the cluster can run. */
import { useMemo } from "react";
import { runnableOps } from "../kernels/runnable-ops.js";
import { runMachinesOf, useCluster } from "./cluster-store.js";
import { currentEngines, useKernelCatalogue } from "./kernel-store.js";
import { useRuntime } from "./runtime-store.js";
import { changeSettings, useSettings } from "./settings-store.js";

const MAX_FAVOURITES = 100;

export function isFavourite(op: string): boolean {
  return useSettings.getState().settings.favouriteOps.includes(op);
}

/** Makes an op a favourite, or no longer one. */
export async function toggleFavourite(op: string): Promise<void> {
  const { favouriteOps } = useSettings.getState().settings;
  const others = favouriteOps.filter((one) => one !== op);
  await changeSettings({
    favouriteOps: others.length < favouriteOps.length ? others : [...others, op].slice(-MAX_FAVOURITES),
  });
}

/** Tells whether the cluster's engines can run an op; undefined: all that are listed. */
export function useRunnableOps(): ((op: string) => boolean) | undefined {
  const catalogue = useKernelCatalogue((state) => state.catalogue);
  const cluster = useCluster(runMachinesOf);
  const runtime = useRuntime((state) => state.state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the engines are those of cluster and runtime
  const engines = useMemo(() => currentEngines(), [cluster, runtime, catalogue]);
  return useMemo(() => runnableOps(engines, catalogue), [engines, catalogue]);
}
