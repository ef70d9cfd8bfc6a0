/** How scalars over the steps of a run are shown. */
import { curveActions, useCurves } from "../stores/curve-store.js";
import { uiActions } from "../stores/ui-store.js";
import { defineCommands } from "./command.js";
import { noTarget } from "./target-kinds.js";

export const curveCommands = defineCommands(noTarget, {
  show: {
    id: "view.curves",
    group: "View",
    label: "Show the curves of a run",
    keywords: "scalars, plots, loss, metrics, history, compare runs",
    icon: "pulse",
    run: () => {
      curveActions.showValues(false);
      uiActions.showDock("results");
    },
  },
  logarithmic: {
    id: "view.curves.logarithmic",
    group: "View",
    label: "Logarithmic scale of curves",
    short: () => "Log",
    note: () => "Values that are not positive are left out.",
    isOn: () => useCurves.getState().logarithmic,
    run: () => curveActions.toggleLogarithmic(),
  },
  table: {
    id: "view.curves.table",
    group: "View",
    label: "Curves as a table",
    short: () => "Table",
    icon: "table",
    isOn: () => useCurves.getState().asTable,
    run: () => curveActions.toggleTable(),
  },
});
