/** Kubernetes as a place for submitted scripts. */
import { randomBytes } from "node:crypto";
import type { OpenPlace } from "../../submit/submit-job.js";
import type { ApiServer } from "../api-server.js";
import { KubeMachine } from "./kube-machine.js";
import type { PodSize } from "./script-manifests.js";

/** The longest name that can be the beginning of the names of Jobs and Services. */
const MOST_NAME_CHARACTERS = 30;

/** Opens a namespace for one job. */
export function openPlace(api: ApiServer, namespace: string, size: PodSize): OpenPlace {
  return async ({ settings, ...job }) =>
    new KubeMachine({ ...job, api, namespace, size, settings, jobName: jobNameOf(settings.script) });
}

/** "train-3fa9c1" */
function jobNameOf(script: string): string {
  const base = (script.split("/").at(-1) ?? "")
    .replace(/\.py$/, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, MOST_NAME_CHARACTERS)
    .replace(/-+$/, "");
  return `${base || "script"}-${randomBytes(3).toString("hex")}`;
}
