/** A stock TensorFlow client of this machine uses an emulated worker, alone and in one cluster with a task of this machine. */
import { sharesWithPortable, sharesWithStock, useUp, useWorker } from "../stock/stock-clients.js";
import type { EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

/** The limit of tensors at a time: what a machine with 512 MB would give. */
const RESIDENT_MIB = 256;

/** The checks with the portable engine. */
export function stockClients(machine: EmulatedMachine): readonly LinuxCheck[] {
  return [
    {
      name: "a stock client uses a portable worker: devices, matrices, variables, 20 training steps, an error",
      form: "short",
      run: () => useWorker(machine, "portable"),
    },
    {
      name: "a step that needs more memory than a worker may have is RESOURCE_EXHAUSTED, and the worker goes on",
      form: "full",
      run: () => useUp(machine, RESIDENT_MIB),
    },
    {
      name: "a portable worker and one on x86-64 are one cluster, with transfers both ways",
      form: "full",
      run: () => sharesWithPortable(machine),
    },
    {
      name: "a portable worker and a stock server on x86-64 are one cluster, with transfers both ways",
      form: "full",
      run: () => sharesWithStock(machine),
    },
  ];
}
