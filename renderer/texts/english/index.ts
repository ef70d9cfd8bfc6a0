/** The English texts, one file for each folder of the window. They are the ones that other languages translate. */
import { actions } from "./actions.js";
import { app } from "./app.js";
import { canvas } from "./canvas.js";
import { cluster } from "./cluster.js";
import { clusterPanel } from "./cluster-panel.js";
import { clusterTable } from "./cluster-table.js";
import { commands } from "./commands/index.js";
import { common } from "./common.js";
import { dialogs } from "./dialogs.js";
import { dock } from "./dock.js";
import { firewall } from "./firewall.js";
import { functionCalls } from "./function-calls.js";
import { inspector } from "./inspector.js";
import { opsPanel } from "./ops-panel.js";
import { pairing } from "./pairing.js";
import { parts } from "./parts.js";
import { placementPanel } from "./placement-panel.js";
import { tour } from "./tour.js";
import { ui } from "./ui.js";

export const english = {
  actions,
  app,
  canvas,
  cluster,
  clusterPanel,
  clusterTable,
  commands,
  common,
  dialogs,
  dock,
  firewall,
  functionCalls,
  inspector,
  opsPanel,
  pairing,
  parts,
  placementPanel,
  tour,
  ui,
} as const;

export type English = typeof english;
