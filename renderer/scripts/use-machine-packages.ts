import { useEffect, useState } from "react";
import type { MachinePackages, ScriptLocation } from "../../main/api/scripts.js";
import { toProblem } from "../../main/api/wire.js";
import { client } from "../transport/client.js";

/** The part of a script's needs that a paired machine has; undefined until it has answered. */
export function useMachinePackages(
  { path, folder, python }: ScriptLocation,
  machineId: string,
): MachinePackages | undefined {
  const [packages, setPackages] = useState<MachinePackages>();
  useEffect(() => {
    let isWanted = true;
    client()
      .call("scripts.packages", {
        path,
        machineId,
        ...(folder !== undefined && { folder }),
        ...(python !== undefined && { python }),
      })
      .then(
        (found) => isWanted && setPackages(found),
        (error: unknown) => isWanted && setPackages({ ready: false, problem: toProblem(error) }),
      );
    return () => {
      isWanted = false;
    };
  }, [path, folder, python, machineId]);
  return packages;
}
