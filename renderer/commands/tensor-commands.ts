/** The commands of the tensor that the dock shows. */
import { copyTensor, saveTensor } from "../actions/tensor-actions.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { tensorTarget } from "./target-kinds.js";

const words = texts.commands.tensor;

export const tensorCommands = defineCommands(tensorTarget, {
  copyTable: {
    id: "tensor.copyTable",
    group: "View",
    label: words.copyTable.label,
    short: () => words.copyTable.short,
    keywords: words.copyTable.keywords,
    icon: "copy",
    needsApplication: true,
    run: (tensor) => copyTensor(tensor, "tsv"),
  },
  copyPython: {
    id: "tensor.copyPython",
    group: "View",
    label: words.copyPython.label,
    short: () => words.copyPython.short,
    keywords: words.copyPython.keywords,
    icon: "copy",
    needsApplication: true,
    run: (tensor) => copyTensor(tensor, "python"),
  },
  saveNpy: {
    id: "tensor.saveNpy",
    group: "View",
    label: words.saveNpy.label,
    short: () => words.saveNpy.short,
    keywords: words.saveNpy.keywords,
    icon: "download",
    needsApplication: true,
    run: (tensor) => saveTensor(tensor, "npy"),
  },
  saveCsv: {
    id: "tensor.saveCsv",
    group: "View",
    label: words.saveCsv.label,
    short: () => words.saveCsv.short,
    keywords: words.saveCsv.keywords,
    icon: "download",
    needsApplication: true,
    run: (tensor) => saveTensor(tensor, "csv"),
  },
  close: {
    id: "tensor.close",
    group: "View",
    label: words.close.label,
    short: () => words.close.short,
    icon: "close",
    run: ({ name }) => uiActions.closeTensor(name),
  },
});
