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
import { dock } from "./dock/index.js";
import { document } from "./document/index.js";
import { firewall } from "./firewall.js";
import { functionCalls } from "./function-calls.js";
import { inspector } from "./inspector.js";
import { kernels } from "./kernels.js";
import { kubernetes } from "./kubernetes.js";
import { opHelp } from "./op-help/index.js";
import { opsPanel } from "./ops-panel.js";
import { pairing } from "./pairing.js";
import { parts } from "./parts.js";
import { placement } from "./placement.js";
import { placementPanel } from "./placement-panel.js";
import { scripts } from "./scripts.js";
import { stores } from "./stores.js";
import { tour } from "./tour.js";
import { transport } from "./transport.js";
import { ui } from "./ui.js";
import { viewport } from "./viewport.js";

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
  document,
  firewall,
  functionCalls,
  inspector,
  kernels,
  kubernetes,
  opHelp,
  opsPanel,
  pairing,
  parts,
  placement,
  placementPanel,
  scripts,
  stores,
  tour,
  transport,
  ui,
  viewport,
} as const;

export type English = typeof english;
