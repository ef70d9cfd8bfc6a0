import type { RunConfig } from "../document/model.js";
import { runConfigsOf } from "../document/run-configs.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { defineCommands, type TargetKind, when } from "./command.js";
import { documentTarget } from "./target-kinds.js";

const configTarget: TargetKind<RunConfig> = {
  name: "run configuration",
  current: () => ({ target: useDocument.getState().document.runConfig }),
  all: () => runConfigsOf(useDocument.getState().document),
  nameOf: ({ name }) => name,
};

/** Whether the document has a choice. */
const hasOthers = () => useDocument.getState().document.otherRuns.length > 0;

export const runConfigListCommands = defineCommands(documentTarget, {
  add: {
    id: "run.addConfiguration",
    group: "Run",
    label: "New run configuration",
    short: () => "New",
    icon: "plus",
    run: () => {
      if (documentActions.addRunConfig()) uiActions.showDock("run");
    },
  },
});

export const runConfigCommands = defineCommands(configTarget, {
  choose: {
    id: "run.chooseConfiguration",
    group: "Run",
    label: "Use this run configuration",
    named: (name) => `Use the run configuration ${name}`,
    short: ({ name }) => name,
    applies: hasOthers,
    isOn: ({ name }) => name === useDocument.getState().document.runConfig.name,
    run: ({ name }) => void documentActions.chooseRunConfig(name),
  },
  duplicate: {
    id: "run.duplicateConfiguration",
    group: "Run",
    label: "Duplicate",
    named: (name) => `Duplicate the run configuration ${name}`,
    icon: "copy",
    run: ({ name }) => void documentActions.duplicateRunConfig(name),
  },
  makeDefault: {
    id: "run.makeConfigurationDefault",
    group: "Run",
    label: "Make the default",
    named: (name) => `Make the run configuration ${name} the default`,
    note: () => "Chosen when the document is opened, and run by the command line.",
    applies: hasOthers,
    isEnabled: ({ name }) =>
      when(name !== useDocument.getState().document.defaultRun, "It is the default already."),
    run: ({ name }) => void documentActions.setDefaultRunConfig(name),
  },
  remove: {
    id: "run.removeConfiguration",
    group: "Run",
    label: "Delete",
    named: (name) => `Delete the run configuration ${name}`,
    applies: hasOthers,
    run: ({ name }) => void documentActions.removeRunConfig(name),
  },
});
