import { useEffect, useState } from "react";
import type { Problem } from "../../main/api/problem.js";
import type { ScriptSurvey } from "../../main/api/scripts.js";
import { toProblem } from "../../main/api/wire.js";
import { client } from "../transport/client.js";

interface Surveyed {
  readonly survey?: ScriptSurvey;
  readonly problem?: Problem;
}

/** What a script would be run with; empty until the application has answered. */
export function useScriptSurvey(path: string, folder: string | undefined): Surveyed {
  const [surveyed, setSurveyed] = useState<Surveyed>({});
  useEffect(() => {
    let isWanted = true;
    client()
      .call("scripts.survey", { path, ...(folder === undefined ? {} : { folder }) })
      .then(
        (survey) => isWanted && setSurveyed({ survey }),
        (error: unknown) => isWanted && setSurveyed({ problem: toProblem(error) }),
      );
    return () => {
      isWanted = false;
    };
  }, [path, folder]);
  return surveyed;
}
