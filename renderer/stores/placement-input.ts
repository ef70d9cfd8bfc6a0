/** The open document's step and the cluster, as the stores have them, for placing it. */

import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { linkKey } from "../cluster/routes.js";
import { taskDevice } from "../cluster/task-name.js";
import type { GraphDocument } from "../document/model.js";
import { type DocumentStep, documentStep } from "../placement/document-step.js";
import { ShapeEstimates } from "../placement/estimates.js";
import { type Measurements, measurementsOf, NOTHING_MEASURED } from "../placement/measurements.js";
import type { PlacementTask } from "../placement/placement-task.js";
import { runMachinesOf, useCluster } from "./cluster-store.js";
import { sentBetweenTasks } from "./device-copies.js";
import { lookupFor, useDocument } from "./document-state.js";
import { currentEngines, knownKernels } from "./kernel-store.js";
import { useReachability } from "./reachability-store.js";
import { useDocumentRun } from "./run-store.js";
import { newestOfMachine, useSamples } from "./samples-store.js";

/** The tasks that are up, and those that are not but that the graph names; these are started with a run. */
export function placementTasks(document: GraphDocument): readonly PlacementTask[] {
  const { taskForDevice } = useCluster.getState();
  const named = new Set([...new Set(deviceNames(document))].map((device) => taskForDevice(device)?.id));
  const machines = runMachinesOf(useCluster.getState());
  const { speeds } = useReachability.getState();
  return currentEngines().tasks.flatMap((engine): PlacementTask[] => {
    for (const machine of machines) {
      const task = machine.tasks.find(({ job, index }) => job === engine.job && index === engine.index);
      if (!task || !(engine.isUp || named.has(task.id))) continue;
      const rates = machines.flatMap(({ id }): [string, number][] => {
        const speed = speeds.get(linkKey(machine.id, id));
        return speed ? [[id, speed.megabytesPerSecond * 1e6]] : [];
      });
      return [
        {
          engine,
          device: taskDevice(task),
          machineId: machine.id,
          cores: machine.cores,
          memoryBytes: machine.memoryBytes,
          roundTripMillis: newestOfMachine(useSamples.getState(), machine.id)?.roundTripMillis,
          bytesPerSecond: new Map(rates),
        },
      ];
    }
    return [];
  });
}

function* deviceNames({ nodes }: GraphDocument): Iterable<string> {
  for (const { device } of nodes.values()) if (device !== "") yield device;
}

/** The measurements of the document's newest traced run. Nodes that were edited since have their old times. */
export function currentMeasurements(document: GraphDocument): Measurements {
  const { latest } = useDocumentRun.getState();
  if (latest?.tracedStep === undefined) return NOTHING_MEASURED;
  const estimates = new ShapeEstimates(lookupFor(document), useDocument.getState().shapes);
  return measurementsOf(
    latest.nodes,
    sentBetweenTasks(latest.transfers),
    (name) => document.nodes.get(name)?.op,
    (name) => {
      const node = document.nodes.get(name);
      return node ? estimates.micros(node, document.nodes) : 0;
    },
    latest.computeMillis === undefined
      ? undefined
      : { micros: latest.computeMillis * 1000, master: latest.master },
  );
}

/** The step that a run of the document computes, as it is when this is called. The cluster must have a task. */
export function currentStep(keepPins: boolean): Sliced<DocumentStep> {
  const { document, shapes } = useDocument.getState();
  return documentStep({
    document,
    lookup: lookupFor(document),
    shapes,
    kernels: knownKernels(),
    engines: currentEngines(),
    tasks: placementTasks(document),
    measured: currentMeasurements(document),
    master: useDocumentRun.getState().latest?.master,
    keepPins,
  });
}
