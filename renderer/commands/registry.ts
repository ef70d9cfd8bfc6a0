/** Every command of the window, and how a key press becomes one. */
import { isTextKey, type KeyPress, matchesShortcut } from "../ui/shortcut.js";
import { alignCommands } from "./align-commands.js";
import { annotationCommands, frameCommands, noteCommands } from "./annotation-commands.js";
import { canvasCommands } from "./canvas-commands.js";
import { clipboardCommands, pasteCommands } from "./clipboard-commands.js";
import {
  clusterCommands,
  kubernetesCommands,
  linkCommands,
  membershipCommands,
  routeCommands,
} from "./cluster-commands.js";
import { colourCommands } from "./colour-commands.js";
import type { AnyCommand, CommandGroup } from "./command.js";
import { curveCommands } from "./curve-commands.js";
import { edgeCommands } from "./edge-commands.js";
import { editCommands } from "./edit-commands.js";
import {
  documentCommands,
  exampleCommands,
  fileCommands,
  pictureCommands,
  recentCommands,
} from "./file-commands.js";
import {
  addBorderCommands,
  borderCommands,
  callCommands,
  enteringCommands,
  extractCommands,
  functionCommands,
  inlineCommands,
  libraryCommands,
  outOfFunctionCommands,
} from "./function-commands.js";
import { graphCommands, selectionCommands } from "./graph-commands.js";
import { helpCommands } from "./help-commands.js";
import { kernelCommands, wayOutCommands } from "./kernel-commands.js";
import type { KeyContext } from "./key-context.js";
import { layerCommands, namedLayerCommands } from "./layer-commands.js";
import { machineCommands, roleCommands } from "./machine-commands.js";
import { nodeCommands, nodesCommands } from "./node-commands.js";
import { opCommands, opListCommands } from "./op-commands.js";
import { partialRunCommands } from "./partial-run-commands.js";
import { placementCommands, placementShownCommands } from "./placement-commands.js";
import {
  activeRunCommands,
  queuedRunCommands,
  recoveryCommands,
  runCommands,
  stepsCommands,
  traceCommands,
} from "./run-commands.js";
import { runConfigCommands, runConfigListCommands } from "./run-config-commands.js";
import { runHistoryCommands } from "./run-history-commands.js";
import { runtimeCommands } from "./runtime-commands.js";
import {
  closedScopeCommands,
  jumpCommands,
  openScopeCommands,
  scopesCommands,
  weightCommands,
} from "./scope-commands.js";
import { settingsCommands, themeCommands } from "./settings-commands.js";
import { anyTabCommands, tabCommands, tabListCommands } from "./tab-commands.js";
import { taskCommands } from "./task-commands.js";
import { tensorCommands } from "./tensor-commands.js";
import { checkpointCommands, trainingCommands } from "./training-commands.js";
import { variableCommands, variablesCommands } from "./variable-commands.js";
import { viewCommands } from "./view-commands.js";

/** In the order of the palette, the overview of shortcuts and the native menu. */
export const allCommands: readonly AnyCommand[] = [
  ...[fileCommands, recentCommands, exampleCommands, documentCommands, pictureCommands],
  ...[tabCommands, tabListCommands, anyTabCommands],
  ...[editCommands, clipboardCommands, pasteCommands, nodesCommands, selectionCommands],
  ...[
    runCommands,
    stepsCommands,
    runConfigListCommands,
    runConfigCommands,
    runHistoryCommands,
    activeRunCommands,
    recoveryCommands,
    queuedRunCommands,
    partialRunCommands,
    traceCommands,
  ],
  ...[clusterCommands, membershipCommands, machineCommands, roleCommands, taskCommands],
  ...[linkCommands, routeCommands, runtimeCommands, kubernetesCommands],
  ...[graphCommands, nodeCommands, edgeCommands, kernelCommands, wayOutCommands, opCommands, opListCommands],
  ...[
    callCommands,
    enteringCommands,
    addBorderCommands,
    borderCommands,
    extractCommands,
    inlineCommands,
    outOfFunctionCommands,
    functionCommands,
    libraryCommands,
  ],
  ...[layerCommands, namedLayerCommands, trainingCommands, frameCommands, noteCommands, annotationCommands],
  ...[placementCommands, placementShownCommands, variablesCommands, variableCommands, checkpointCommands],
  ...[alignCommands, closedScopeCommands, openScopeCommands, scopesCommands, weightCommands, jumpCommands],
  ...[canvasCommands, viewCommands, colourCommands, tensorCommands, curveCommands],
  ...[settingsCommands, themeCommands, helpCommands],
].flatMap((commands) => Object.values<AnyCommand>(commands));

/** The order in which the groups of commands are listed. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  ...(["Run", "File", "Edit", "Graph", "View", "Cluster", "Settings", "Help"] as const),
];

/** The command for a key press in its context; undefined if there is none. */
export function commandForKey(
  press: KeyPress,
  context: KeyContext,
  commands: readonly AnyCommand[] = allCommands,
): AnyCommand | undefined {
  if (context.modal) return undefined;
  if (context.ownLetters && press.key.length === 1 && !press.ctrlKey && !press.metaKey && !press.altKey) {
    return undefined;
  }
  return commands.find(
    (command) =>
      command.shortcut !== undefined &&
      matchesShortcut(command.shortcut, press) &&
      (!context.typing || !isTextKey(press) || command.whileTyping) &&
      (!context.elsewhere || !command.onCanvas),
  );
}
