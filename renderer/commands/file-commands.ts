import { runExample } from "../actions/example-actions.js";
import { exportScript } from "../actions/export-actions.js";
import { downloadGraph, saveDocument, saveDocumentAs } from "../actions/file-actions.js";
import { newDocument, openDocument, openExample } from "../actions/open-actions.js";
import { exportPicture } from "../actions/picture-actions.js";
import { openNewWindow } from "../actions/window-actions.js";
import { useApp } from "../stores/app-store.js";
import { uiActions } from "../stores/ui-store.js";
import { defineCommands } from "./command.js";
import { documentTarget, exampleTarget, nodesTarget, noTarget, recentTarget } from "./target-kinds.js";

export const fileCommands = defineCommands(noTarget, {
  create: {
    id: "file.new",
    group: "File",
    label: "New graph",
    icon: "file",
    shortcut: "Mod+N Alt+N",
    whileTyping: true,
    run: newDocument,
  },
  open: {
    id: "file.open",
    group: "File",
    label: "Open…",
    icon: "folder",
    shortcut: "Mod+O",
    needsApplication: true,
    run: () => openDocument(),
  },
  examples: {
    id: "file.examples",
    group: "File",
    label: "Gallery of examples…",
    keywords: "digits, classifier, welcome, tutorial",
    icon: "cube",
    needsApplication: true,
    run: () => uiActions.open({ kind: "examples" }),
  },
  newWindow: {
    id: "file.newWindow",
    group: "File",
    label: "New window",
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
    label: "Open recent",
    short: fileName,
    named: (name) => `Open ${name}`,
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
    label: "Open example",
    short: ({ title }) => title,
    named: (name) => `Open example: ${name}`,
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
    label: "Run example",
    short: () => "Run",
    named: (name) => `Run example: ${name}`,
    icon: "play",
    needsApplication: true,
    applies: ({ result }) => result !== undefined,
    run: runExample,
  },
});

export const documentCommands = defineCommands(documentTarget, {
  save: {
    id: "file.save",
    group: "File",
    label: "Save",
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
    label: "Save as…",
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
    label: "Download graph",
    icon: "download",
    takesDocument: true,
    run: downloadGraph,
  },
  exportPython: {
    id: "file.exportPython",
    group: "File",
    label: "Export as Python script",
    short: () => "Python script",
    note: () => "tf.compat.v1, runs with any TensorFlow",
    keywords: "code tf.Session",
    takesDocument: true,
    run: () => exportScript("python"),
  },
  exportTypeScript: {
    id: "file.exportTypeScript",
    group: "File",
    label: "Export as TypeScript",
    short: () => "TypeScript",
    note: () => 'a module for import "tensordeck"',
    keywords: "code JavaScript library",
    takesDocument: true,
    run: () => exportScript("typescript"),
  },
  exportSvg: {
    id: "file.exportSvg",
    group: "File",
    label: "Export as SVG",
    short: () => "SVG picture",
    note: () => "as the canvas draws it, in this theme",
    keywords: "image drawing vector",
    run: () => exportPicture("svg", false),
  },
  exportPng: {
    id: "file.exportPng",
    group: "File",
    label: "Export as PNG",
    short: () => "PNG picture",
    keywords: "image screenshot",
    run: () => exportPicture("png", false),
  },
});

/** Pictures of what is selected. */
export const pictureCommands = defineCommands(nodesTarget, {
  svg: {
    id: "file.exportSelectionSvg",
    group: "File",
    label: "Export the selection as SVG",
    short: () => "Selection as SVG",
    keywords: "image drawing vector picture",
    run: () => exportPicture("svg", true),
  },
  png: {
    id: "file.exportSelectionPng",
    group: "File",
    label: "Export the selection as PNG",
    short: () => "Selection as PNG",
    keywords: "image screenshot picture",
    run: () => exportPicture("png", true),
  },
});
