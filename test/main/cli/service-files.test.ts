/** The files that make the agent start with macOS and Windows: read by parsers, not run. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launchAgent, launchAgentCommands } from "../../../main/cli/launch-agent.js";
import { scheduledTask, scheduledTaskCommands } from "../../../main/cli/scheduled-task.js";
import { repositoryRoot } from "../../support/peers.js";

/** Parsers of electron-builder, which writes such files for packages; they come without types. */
interface Plist {
  parse(text: string): Readonly<Record<string, unknown>>;
}
interface XmlElements {
  getElementsByTagName(name: string): { readonly 0?: { readonly textContent: string | null } };
}
interface XmlDom {
  readonly DOMParser: new (options: {
    errorHandler: (level: string, message: string) => never;
  }) => { parseFromString(text: string, type: string): XmlElements };
}
const require = createRequire(join(repositoryRoot, "package.json"));

const flags = ["--name", 'Zoë\'s <"box"> & \\'];
const options = {
  node: "/opt/Node & more/node",
  program: "/opt/tensor deck/tensordeck.mjs",
  flags,
  dataDir: "/Users/zoë/Tensordeck",
  user: "DESK\\zoë",
};
const words = [options.program, "agent", "--data-dir", options.dataDir, ...flags];

test("the property list of launchd passes every word on as it is", () => {
  const { parse } = require("plist") as Plist;
  const list = parse(launchAgent(options));
  expect(list).toMatchObject({
    Label: "org.tensordeck.agent",
    ProgramArguments: [options.node, ...words],
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    StandardOutPath: "/Users/zoë/Tensordeck/logs/agent.log",
  });
});

function taskTexts(text: string, ...names: string[]): (string | null | undefined)[] {
  const { DOMParser } = require("@xmldom/xmldom") as XmlDom;
  const errorHandler = (level: string, message: string) => {
    throw new Error(`${level}: ${message}`);
  };
  const task = new DOMParser({ errorHandler }).parseFromString(text, "text/xml");
  return names.map((name) => task.getElementsByTagName(name)[0]?.textContent);
}

test("the task of Windows passes every word on as it is, in ASCII", () => {
  const text = scheduledTask(options);
  expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  expect(taskTexts(text, "UserId", "Command", "Arguments")).toEqual([
    options.user,
    options.node,
    `"${options.program}" agent --data-dir ${options.dataDir} --name "Zoë's <\\"box\\"> & \\\\"`,
  ]);
});

test("what Task Scheduler would replace is refused", () => {
  expect(() => scheduledTask({ ...options, flags: ["--name", "%PATH%"] })).toThrow(/cannot pass on "%PATH%"/);
});

test("the commands print the same file again, and say how to see and remove it", () => {
  const command = ["tensordeck", "agent", "service", "--name", "it's"];
  const mac = launchAgentCommands(command, "/Users/zoë/Data");
  expect(mac).toContain("tensordeck agent service --name 'it'\\''s' > ~/Library/LaunchAgents/");
  for (const verb of ["bootstrap", "print", "bootout"])
    expect(mac).toContain(`launchctl ${verb} gui/$(id -u)`);
  const windows = scheduledTaskCommands(command);
  expect(windows).toContain("-Xml (tensordeck agent service --name 'it''s' | Out-String)");
  // PowerShell takes typographic quotation marks for its own.
  expect(scheduledTaskCommands(["--name", "x\u2019; calc"])).toContain("'x\u2019\u2019; calc'");
  expect(windows).toContain("Unregister-ScheduledTask -TaskName Tensordeck");
});
