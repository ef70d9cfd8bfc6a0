import { runExample } from "../actions/example-actions.js";
import { exportScript } from "../actions/export-actions.js";
import { downloadGraph, saveDocument, saveDocumentAs } from "../actions/file-actions.js";
import { newDocument, openDocument, openExample } from "../actions/open-actions.js";
import { exportPicture } from "../actions/picture-actions.js";
import { chooseScript } from "../actions/script-actions.js";
import { openNewWindow } from "../actions/window-actions.js";
import { useApp } from "../stores/app-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { nothingRuns } from "./run-commands.js";
import { documentTarget, exampleTarget, nodesTarget, noTarget, recentTarget } from "./target-kinds.js";

const words = texts.commands.file;

export const fileCommands = defineCommands(noTarget, {
  create: {
    id: "file.new",
    group: "File",
    label: words.create.label,
    icon: "file",
    shortcut: "Mod+N Alt+N",
    whileTyping: true,
    run: newDocument,
  },
  open: {
    id: "file.open",
    group: "File",
    label: words.open.label,
    icon: "folder",
    shortcut: "Mod+O",
    needsApplication: true,
    run: () => openDocument(),
  },
  examples: {
    id: "file.examples",
    group: "File",
    label: words.examples.label,
    keywords: words.examples.keywords,
    icon: "cube",
    needsApplication: true,
    run: () => uiActions.open({ kind: "examples" }),
  },
  runScript: {
    id: "file.runScript",
    group: "File",
    label: words.runScript.label,
    keywords: words.runScript.keywords,
    icon: "prompt",
    needsApplication: true,
    run: chooseScript,
  },
  newWindow: {
    id: "file.newWindow",
    group: "File",
    label: words.newWindow.label,
    icon: "external",
    needsApplication: true,
    // The desktop program has one window.
    applies: () => useApp.getState().info?.host === "headless",
    run: openNewWindow,
  },
});

export const recentCommands = defineCommands(recentTarget, {
  open: {
    id: "file.openRecent",
    group: "File",
    label: words.recent.open.label,
    short: fileName,
    named: (name) => words.recent.open.named({ name }),
    note: (path) => path,
    icon: "file",
    needsApplication: true,
    run: openDocument,
  },
});

function fileName(path: string): string {
  return recentTarget.nameOf?.(path) ?? path;
}

export const exampleCommands = defineCommands(exampleTarget, {
  open: {
    id: "file.openExample",
    group: "File",
    label: words.example.open.label,
    short: ({ title }) => title,
    named: (name) => words.example.open.named({ name }),
    note: ({ description }) => description,
    icon: "cube",
    needsApplication: true,
    run: async (example) => {
      await openExample(example);
    },
  },
  run: {
    id: "file.runExample",
    group: "File",
    label: words.example.run.label,
    short: () => words.example.run.short,
    named: (name) => words.example.run.named({ name }),
    icon: "play",
    needsApplication: true,
    applies: ({ result }) => result !== undefined,
    isEnabled: nothingRuns,
    run: runExample,
  },
});

export const documentCommands = defineCommands(documentTarget, {
  save: {
    id: "file.save",
    group: "File",
    label: words.document.save.label,
    icon: "save",
    shortcut: "Mod+S",
    takesDocument: true,
    needsApplication: true,
    run: async () => {
      await saveDocument();
    },
  },
  saveAs: {
    id: "file.saveAs",
    group: "File",
    label: words.document.saveAs.label,
    shortcut: "Mod+Shift+S",
    takesDocument: true,
    needsApplication: true,
    run: async () => {
      await saveDocumentAs();
    },
  },
  download: {
    id: "file.download",
    group: "File",
    label: words.document.download.label,
    icon: "download",
    takesDocument: true,
    run: downloadGraph,
  },
  exportPython: {
    id: "file.exportPython",
    group: "File",
    label: words.document.exportPython.label,
    short: () => words.document.exportPython.short,
    note: () => words.document.exportPython.note,
    keywords: words.document.exportPython.keywords,
    takesDocument: true,
    run: () => exportScript("python"),
  },
  exportTypeScript: {
    id: "file.exportTypeScript",
    group: "File",
    label: words.document.exportTypeScript.label,
    short: () => words.document.exportTypeScript.short,
    note: () => words.document.exportTypeScript.note,
    keywords: words.document.exportTypeScript.keywords,
    takesDocument: true,
    run: () => exportScript("typescript"),
  },
  exportModel: {
    id: "file.exportModel",
    group: "File",
    label: words.document.exportModel.label,
    short: () => words.document.exportModel.short,
    note: () => words.document.exportModel.note,
    keywords: words.document.exportModel.keywords,
    takesDocument: true,
    needsApplication: true,
    run: () => uiActions.open({ kind: "export-model" }),
  },
  exportSvg: {
    id: "file.exportSvg",
    group: "File",
    label: words.document.exportSvg.label,
    short: () => words.document.exportSvg.short,
    note: () => words.document.exportSvg.note,
    keywords: words.document.exportSvg.keywords,
    run: () => exportPicture("svg", false),
  },
  exportPng: {
    id: "file.exportPng",
    group: "File",
    label: words.document.exportPng.label,
    short: () => words.document.exportPng.short,
    keywords: words.document.exportPng.keywords,
    run: () => exportPicture("png", false),
  },
});

/** Pictures of what is selected. */
export const pictureCommands = defineCommands(nodesTarget, {
  svg: {
    id: "file.exportSelectionSvg",
    group: "File",
    label: words.picture.svg.label,
    short: () => words.picture.svg.short,
    keywords: words.picture.svg.keywords,
    run: () => exportPicture("svg", true),
  },
  png: {
    id: "file.exportSelectionPng",
    group: "File",
    label: words.picture.png.label,
    short: () => words.picture.png.short,
    keywords: words.picture.png.keywords,
    run: () => exportPicture("png", true),
  },
});
