import { useEffect, useState } from "react";
import type { MachinePackages, ScriptSurvey } from "../../main/api/scripts.js";
import { toProblem } from "../../main/api/wire.js";
import { client } from "../transport/client.js";

/** What a paired machine has of what a script needs; undefined until it has answered. */
export function useMachinePackages(
  { path, folder }: Pick<ScriptSurvey, "path" | "folder">,
  machineId: string,
): MachinePackages | undefined {
  const [packages, setPackages] = useState<MachinePackages>();
  useEffect(() => {
    let isWanted = true;
    client()
      .call("scripts.packages", { path, folder, machineId })
      .then(
        (found) => isWanted && setPackages(found),
        (error: unknown) => isWanted && setPackages({ ready: false, problem: toProblem(error) }),
      );
    return () => {
      isWanted = false;
    };
  }, [path, folder, machineId]);
  return packages;
}
