/** What can be done with the variables that the tasks hold. */
import {
  initialiseVariables,
  inspectVariables,
  openVariable,
  restoreVariables,
  saveVariables,
} from "../actions/variable-actions.js";
import { uiActions } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { defineCommands, when } from "./command.js";
import { variablesTarget, variableTarget } from "./target-kinds.js";

function hasValue(name: string) {
  const state = useVariables.getState().states.get(name);
  return when(state?.initialized !== false, "It has no value yet.");
}

export const variablesCommands = defineCommands(variablesTarget, {
  refresh: {
    id: "variables.refresh",
    group: "Run",
    label: "Read the variables again",
    short: () => "Refresh",
    icon: "refresh",
    needsApplication: true,
    run: inspectVariables,
  },
  initialise: {
    id: "variables.initialize",
    group: "Run",
    label: "Initialize all variables",
    short: () => "Initialize all",
    needsApplication: true,
    run: initialiseVariables,
  },
  save: {
    id: "variables.save",
    group: "Run",
    label: "Save all variables to a checkpoint…",
    short: () => "Save all…",
    keywords: "weights, Saver, ckpt",
    icon: "save",
    needsApplication: true,
    run: saveVariables,
  },
  restore: {
    id: "variables.restore",
    group: "Run",
    label: "Restore all variables from a checkpoint…",
    short: () => "Restore…",
    keywords: "weights, Saver, ckpt, load",
    needsApplication: true,
    run: restoreVariables,
  },
});

export const variableCommands = defineCommands(variableTarget, {
  open: {
    id: "variable.open",
    group: "Run",
    label: "Show the variable's value",
    short: () => "Open",
    named: (name) => `Show the value of ${name}`,
    icon: "table",
    needsApplication: true,
    isEnabled: hasValue,
    run: openVariable,
  },
  assign: {
    id: "variable.assign",
    group: "Run",
    label: "Assign a value to the variable…",
    short: () => "Assign…",
    named: (name) => `Assign a value to ${name}…`,
    needsApplication: true,
    run: (variable) => uiActions.open({ kind: "assign", variable }),
  },
  initialise: {
    id: "variable.initialize",
    group: "Run",
    label: "Initialize the variable",
    short: () => "Initialize",
    named: (name) => `Initialize ${name}`,
    needsApplication: true,
    run: (name) => initialiseVariables([name]),
  },
  save: {
    id: "variable.save",
    group: "Run",
    label: "Save the variable to a checkpoint…",
    short: () => "Save…",
    named: (name) => `Save ${name} to a checkpoint…`,
    icon: "save",
    needsApplication: true,
    isEnabled: hasValue,
    run: (name) => saveVariables([name]),
  },
  restore: {
    id: "variable.restore",
    group: "Run",
    label: "Restore the variable from a checkpoint…",
    short: () => "Restore…",
    named: (name) => `Restore ${name} from a checkpoint…`,
    needsApplication: true,
    run: (name) => restoreVariables([name]),
  },
});
