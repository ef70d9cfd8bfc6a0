/** How scalars over the steps of a run are shown. */
import { curveActions, useCurves } from "../stores/curve-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.curve;

export const curveCommands = defineCommands(noTarget, {
  show: {
    id: "view.curves",
    group: "View",
    label: words.show.label,
    keywords: words.show.keywords,
    icon: "pulse",
    run: () => {
      curveActions.showValues(false);
      uiActions.showDock("results");
    },
  },
  logarithmic: {
    id: "view.curves.logarithmic",
    group: "View",
    label: words.logarithmic.label,
    short: () => words.logarithmic.short,
    note: () => words.logarithmic.note,
    isOn: () => useCurves.getState().logarithmic,
    run: () => curveActions.toggleLogarithmic(),
  },
  table: {
    id: "view.curves.table",
    group: "View",
    label: words.table.label,
    short: () => words.table.short,
    icon: "table",
    isOn: () => useCurves.getState().asTable,
    run: () => curveActions.toggleTable(),
  },
});
