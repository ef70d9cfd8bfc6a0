import { useEffect, useState } from "react";
import type { Problem } from "../../main/api/problem.js";
import type { ScriptLocation, ScriptSurvey } from "../../main/api/scripts.js";
import { toProblem } from "../../main/api/wire.js";
import { client } from "../transport/client.js";

interface Surveyed {
  readonly survey?: ScriptSurvey;
  /** The Python that the survey was made with. */
  readonly python?: string | undefined;
  readonly problem?: Problem;
}

/** The conditions of a script's run; empty until the application has answered. */
export function useScriptSurvey({ path, folder, python }: ScriptLocation): Surveyed {
  const [surveyed, setSurveyed] = useState<Surveyed>({});
  useEffect(() => {
    let isWanted = true;
    client()
      .call("scripts.survey", {
        path,
        ...(folder !== undefined && { folder }),
        ...(python !== undefined && { python }),
      })
      .then(
        (survey) => isWanted && setSurveyed({ survey, python }),
        (error: unknown) => isWanted && setSurveyed({ problem: toProblem(error) }),
      );
    return () => {
      isWanted = false;
    };
  }, [path, folder, python]);
  return surveyed;
}
