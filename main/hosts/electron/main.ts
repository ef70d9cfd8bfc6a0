/** Tensordeck as a desktop program: one application, one window of Electron. */
import { join } from "node:path";
import {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  Menu,
  type MenuItemConstructorOptions,
  nativeTheme,
  screen,
  session,
  shell,
} from "electron";
import { packageRoot } from "../../../worker-runtime/engines/package-root.js";
import { dataFolder } from "../../../worker-runtime/engines/tensorflow/data-folder.js";
import { inBackground, surviveFaults } from "../../../worker-runtime/faults.js";
import type { Settings } from "../../api/settings.js";
import { AskedDocumentQueue } from "../../app/asked-documents.js";
import { type Application, createApplication } from "../../application.js";
import { InstanceLock } from "../../peers/agent/instance-lock.js";
import { homeFolder } from "../../shared/home-folder.js";
import { log, openLog } from "../../shared/log/log.js";
import { problem } from "../../shared/problems.js";
import { startText } from "../shared/start-text.js";
import { registerWindowScheme, serveWindow } from "./app-protocol.js";
import { Closing } from "./closing.js";
import { keepCrashDumps } from "./crash-dumps.js";
import { disposeBeforeEnd } from "./ending.js";
import { pickFile } from "./file-dialogs.js";
import { callerOf, sendEvents, serveRequests } from "./ipc.js";
import { leaveFolder } from "./leave-folder.js";
import { menuTemplate } from "./menu.js";
import { serveMenu } from "./menu-channel.js";
import { confineNavigation } from "./navigation.js";
import { confinePermissions } from "./permissions.js";
import { recoverWindow } from "./recovery.js";
import { failStart } from "./start-failure.js";
import { followSystem, RecentDocuments } from "./system-requests.js";
import { ApplicationTray } from "./tray.js";
import { askBeforeUnload } from "./unsaved-changes.js";
import { offerUpdate } from "./updates.js";
import { WINDOW_URL } from "./window-address.js";
import { backgroundColour, windowOptions } from "./window-options.js";
import { reachableBounds, readWindowState, writeWindowState } from "./window-state.js";

let window: BrowserWindow | undefined;
/** The system is ending the program, which no question may delay. */
let mustEnd = false;
/** Documents that the system wants opened. */
const askedDocuments = new AskedDocumentQueue();
/** Brings the window to the front; does nothing before the program is ready. */
let showWindow = () => {};
/** Requested addresses of other machines' windows that have not been opened yet. */
const windowAddresses = new Set<string>();

async function themeOf(application: Application): Promise<Settings["theme"]> {
  const settings = (await application.handle("settings.get", undefined)) as Settings;
  return settings.theme;
}

async function openWindow(application: Application, stateFile: string, closing: Closing): Promise<void> {
  const state = readWindowState(stateFile);
  const theme = await themeOf(application);
  nativeTheme.themeSource = theme;
  const opened = new BrowserWindow(
    windowOptions({
      preload: join(import.meta.dirname, "preload.cjs"),
      backgroundColor: backgroundColour(theme, nativeTheme.shouldUseDarkColors),
      bounds: reachableBounds(
        state,
        screen.getAllDisplays().map((display) => display.workArea),
      ),
    }),
  );
  window = opened;
  confineNavigation(opened.webContents, windowAddresses);
  askBeforeUnload(opened, {
    isForced: () => mustEnd,
    onDiscard: () =>
      inBackground(application.handle("documents.discardOwnDrafts", undefined, callerOf(opened.webContents))),
    onStay: () => closing.stayed(),
  });
  closing.guard(opened);
  recoverWindow(opened, { dialog });
  sendEvents(application, opened.webContents);
  opened.once("ready-to-show", () => {
    if (state?.maximized === true) opened.maximize();
    opened.show();
    log.info("The window is shown.");
  });
  opened.on("close", () => {
    writeWindowState(stateFile, { bounds: opened.getNormalBounds(), maximized: opened.isMaximized() });
  });
  opened.on("closed", () => {
    if (window === opened) window = undefined;
  });
  await opened.loadURL(WINDOW_URL);
}

async function run(): Promise<void> {
  const dataDir = dataFolder();
  keepCrashDumps({ app, crashReporter }, dataDir);
  followSystem({
    app,
    onDocuments: (paths) => askedDocuments.add(paths),
    onShow: () => showWindow(),
  });
  leaveFolder();
  await app.whenReady();
  const stateFile = join(dataDir, "window.json");
  let loaded: Application | undefined;
  const lock = await InstanceLock.claim(dataDir, {
    link: () => {
      throw problem("FAILED_PRECONDITION", "Tensordeck's window is open on that machine's desktop.", {
        remedy: "Use it there.",
      });
    },
    peers: () => loaded?.knownPeers(),
  });
  openLog(dataDir);
  log.info(startText("electron"));
  surviveFaults((text) => log.error(text));
  const application = await createApplication({
    dataDir,
    host: {
      kind: "electron",
      askedDocuments,
      pickFile: (request) => pickFile(window, request),
      showFile: (path) => shell.showItemInFolder(path),
    },
  });
  loaded = application;
  const inUse = () => application.inUse();
  showWindow = () => {
    tray.hide();
    if (window === undefined) inBackground(openWindow(application, stateFile, closing));
    else {
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    }
  };
  const tray = new ApplicationTray({ inUse, open: () => showWindow(), quit: () => app.quit() });
  const closing = new Closing({
    ...{ app, dialog, inUse, platform: process.platform },
    isForced: () => mustEnd,
    stayInTray: () => {
      tray.show();
      window?.hide();
    },
  });
  disposeBeforeEnd(app, async () => {
    await application.dispose();
    await lock.release();
  });
  const recent = new RecentDocuments(app);
  application.onEvent(
    (name, data) => {
      if (name === "settings") {
        const { theme, recentDocuments } = data as Settings;
        nativeTheme.themeSource = theme;
        recent.update(recentDocuments);
      }
      if (name === "cluster") tray.update();
    },
    { background: true },
  );
  confinePermissions(session.defaultSession);
  serveWindow(join(packageRoot(), "build", "out", "renderer"));
  serveRequests(application, windowAddresses);
  const showMenu = (template: MenuItemConstructorOptions[]) =>
    Menu.setApplicationMenu(Menu.buildFromTemplate(template));
  showMenu(menuTemplate(process.platform));
  if (process.platform === "darwin") serveMenu(showMenu);

  app.on("window-all-closed", () => {
    if (process.platform !== "darwin") app.quit();
  });
  app.on("activate", () => showWindow());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      mustEnd = true;
      app.quit();
    });
  }
  await openWindow(application, stateFile, closing);
  inBackground(
    offerUpdate({
      platform: process.platform,
      resources: process.resourcesPath,
      localData: process.env.LOCALAPPDATA ?? homeFolder(),
      dialog,
      load: async () => (await import("electron-updater")).default.autoUpdater,
    }),
  );
}

app.setName("Tensordeck");
registerWindowScheme();
// Two instances would manage the same data folder and each think that it owns the machine's tasks.
if (app.requestSingleInstanceLock()) {
  run().catch((error: unknown) => failStart(error, { app, dialog }));
} else {
  // The first instance has got the folder with the lock's request.
  leaveFolder();
  app.quit();
}
