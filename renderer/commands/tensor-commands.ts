/** What can be done with the tensor that the dock shows. */
import { copyTensor, saveTensor } from "../actions/tensor-actions.js";
import { uiActions } from "../stores/ui-store.js";
import { defineCommands } from "./command.js";
import { tensorTarget } from "./target-kinds.js";

export const tensorCommands = defineCommands(tensorTarget, {
  copyTable: {
    id: "tensor.copyTable",
    group: "View",
    label: "Copy the tensor as a table",
    short: () => "As a table (TSV)",
    keywords: "clipboard, spreadsheet, tab, values, text",
    icon: "copy",
    needsApplication: true,
    run: (tensor) => copyTensor(tensor, "tsv"),
  },
  copyPython: {
    id: "tensor.copyPython",
    group: "View",
    label: "Copy the tensor as Python",
    short: () => "As Python (NumPy)",
    keywords: "clipboard, numpy, array, values",
    icon: "copy",
    needsApplication: true,
    run: (tensor) => copyTensor(tensor, "python"),
  },
  saveNpy: {
    id: "tensor.saveNpy",
    group: "View",
    label: "Save the tensor as .npy…",
    short: () => "As .npy…",
    keywords: "export, numpy, values",
    icon: "download",
    needsApplication: true,
    run: (tensor) => saveTensor(tensor, "npy"),
  },
  saveCsv: {
    id: "tensor.saveCsv",
    group: "View",
    label: "Save the tensor as CSV…",
    short: () => "As CSV…",
    keywords: "export, table, values",
    icon: "download",
    needsApplication: true,
    run: (tensor) => saveTensor(tensor, "csv"),
  },
  close: {
    id: "tensor.close",
    group: "View",
    label: "Close the tensor",
    short: () => "Close",
    icon: "close",
    run: ({ name }) => uiActions.closeTensor(name),
  },
});
