/** A stock TensorFlow client on Linux uses a worker on Windows, alone and in one cluster with a task on Linux. */
import type { Check } from "../check.js";
import { sharesWithPortable, sharesWithStock, useWorker } from "../stock/stock-clients.js";
import type { WineMachine } from "./wine-machine.js";

export function stockClients(machine: WineMachine): readonly Check[] {
  return [
    {
      name: "a stock client uses a portable worker: devices, values, variables, training and an error",
      run: () => useWorker(machine, "portable"),
    },
    {
      name: "a portable worker and one on Linux are one cluster, with transfers both ways",
      run: () => sharesWithPortable(machine),
    },
    {
      name: "a portable worker and a stock server on Linux are one cluster, with transfers both ways",
      run: () => sharesWithStock(machine),
    },
  ];
}
