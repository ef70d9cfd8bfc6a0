/** Texts of the dock, one file for each of its parts; their modules are named without the part. */
import { curves } from "./curves.js";
import { history } from "./history.js";
import { panels } from "./panels.js";
import { run } from "./run.js";
import { scripts } from "./scripts.js";
import { taskLanes } from "./task-lanes.js";
import { tensor } from "./tensor.js";
import { trace } from "./trace.js";
import { variables } from "./variables.js";

export const dock = {
  ...curves,
  ...history,
  ...panels,
  ...run,
  ...scripts,
  ...taskLanes,
  ...tensor,
  ...trace,
  ...variables,
} as const;
