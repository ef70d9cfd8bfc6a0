/** The commands of the variables that the tasks hold. */
import { initialiseVariables, restoreVariables, saveVariables } from "../actions/variable-actions.js";
import { inspectVariables, openVariable } from "../actions/variable-reading.js";
import { uiActions } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, when } from "./command.js";
import { variablesTarget, variableTarget } from "./target-kinds.js";

const words = texts.commands.variable;

function hasValue(name: string) {
  const state = useVariables.getState().states.get(name);
  return when(state?.initialized !== false, words.itNoValueYet);
}

export const variablesCommands = defineCommands(variablesTarget, {
  refresh: {
    id: "variables.refresh",
    group: "Run",
    label: words.variables.refresh.label,
    short: () => words.variables.refresh.short,
    icon: "refresh",
    needsApplication: true,
    run: inspectVariables,
  },
  initialise: {
    id: "variables.initialize",
    group: "Run",
    label: words.variables.initialise.label,
    short: () => words.variables.initialise.short,
    needsApplication: true,
    run: initialiseVariables,
  },
  save: {
    id: "variables.save",
    group: "Run",
    label: words.variables.save.label,
    short: () => words.variables.save.short,
    keywords: words.variables.save.keywords,
    icon: "save",
    needsApplication: true,
    run: saveVariables,
  },
  restore: {
    id: "variables.restore",
    group: "Run",
    label: words.variables.restore.label,
    short: () => words.variables.restore.short,
    keywords: words.variables.restore.keywords,
    needsApplication: true,
    run: restoreVariables,
  },
});

export const variableCommands = defineCommands(variableTarget, {
  open: {
    id: "variable.open",
    group: "Run",
    label: words.open.label,
    short: () => words.open.short,
    named: (name) => words.open.named({ name }),
    icon: "table",
    needsApplication: true,
    isEnabled: hasValue,
    run: openVariable,
  },
  assign: {
    id: "variable.assign",
    group: "Run",
    label: words.assign.label,
    short: () => words.assign.short,
    named: (name) => words.assign.named({ name }),
    needsApplication: true,
    run: (variable) => uiActions.open({ kind: "assign", variable }),
  },
  initialise: {
    id: "variable.initialize",
    group: "Run",
    label: words.initialise.label,
    short: () => words.initialise.short,
    named: (name) => words.initialise.named({ name }),
    needsApplication: true,
    run: (name) => initialiseVariables([name]),
  },
  save: {
    id: "variable.save",
    group: "Run",
    label: words.save.label,
    short: () => words.save.short,
    named: (name) => words.save.named({ name }),
    icon: "save",
    needsApplication: true,
    isEnabled: hasValue,
    run: (name) => saveVariables([name]),
  },
  restore: {
    id: "variable.restore",
    group: "Run",
    label: words.restore.label,
    short: () => words.restore.short,
    named: (name) => words.restore.named({ name }),
    needsApplication: true,
    run: (name) => restoreVariables([name]),
  },
});
