import type { RunConfig } from "../document/model.js";
import { runConfigsOf } from "../document/run-configs.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, type TargetKind, when } from "./command.js";
import { documentTarget } from "./target-kinds.js";

const words = texts.commands.runConfig;

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
    label: words.runConfigList.add.label,
    short: () => words.runConfigList.add.short,
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
    label: words.choose.label,
    named: (name) => words.choose.named({ name }),
    short: ({ name }) => name,
    applies: hasOthers,
    isOn: ({ name }) => name === useDocument.getState().document.runConfig.name,
    run: ({ name }) => void documentActions.chooseRunConfig(name),
  },
  duplicate: {
    id: "run.duplicateConfiguration",
    group: "Run",
    label: words.duplicate.label,
    named: (name) => words.duplicate.named({ name }),
    icon: "copy",
    run: ({ name }) => void documentActions.duplicateRunConfig(name),
  },
  makeDefault: {
    id: "run.makeConfigurationDefault",
    group: "Run",
    label: words.makeDefault.label,
    named: (name) => words.makeDefault.named({ name }),
    note: () => words.makeDefault.note,
    applies: hasOthers,
    isEnabled: ({ name }) =>
      when(name !== useDocument.getState().document.defaultRun, words.makeDefault.reason),
    run: ({ name }) => void documentActions.setDefaultRunConfig(name),
  },
  remove: {
    id: "run.removeConfiguration",
    group: "Run",
    label: words.remove.label,
    named: (name) => words.remove.named({ name }),
    applies: hasOthers,
    run: ({ name }) => void documentActions.removeRunConfig(name),
  },
});
