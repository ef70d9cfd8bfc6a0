import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { Gpu } from "../../main/api/machines.js";
import type { MachineSample } from "../../main/api/samples.js";
import {
  engineText,
  fingerprintLines,
  gpuTexts,
  roleText,
  spokenPresence,
  systemText,
} from "../cluster/machine-text.js";
import { taskName } from "../cluster/task-name.js";
import { ProblemView } from "../parts/problem-view.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { newestOfMachine, useSamples } from "../stores/samples-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { CopyButton } from "../ui/copy-button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { bytesText, durationText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import { Fact, FactList } from "./fact-list.js";

const words = texts.dialogs.machineDialog;

/** Everything that is known about one machine, for reading and copying. */
export function MachineDialog({ machineId }: { readonly machineId: string }): ReactElement | null {
  const machine = useCluster((store) => machinesOf(store).find(({ id }) => id === machineId));
  const sample = useSamples((store) => newestOfMachine(store, machineId));
  if (machine === undefined) return null;
  const facts = factsOf(machine, sample);
  return (
    <Dialog
      title={machine.name}
      icon="info"
      onClose={uiActions.close}
      footer={
        <>
          <span className={textStyles.grow} />
          <CopyButton
            label={words.copyAll}
            text={facts.map(([name, lines]) => `${name}: ${lines.join(", ")}`).join("\n")}
          />
        </>
      }
    >
      <DialogBody>
        {machine.problem ? <ProblemView problem={machine.problem} kind="notice" /> : null}
        <FactList ruled>
          {facts.map(([name, lines]) => (
            <Fact key={name} name={name}>
              {lines.map((line) => (
                <div key={line}>{line}</div>
              ))}
            </Fact>
          ))}
        </FactList>
      </DialogBody>
    </Dialog>
  );
}

function factsOf(
  machine: Machine,
  sample: MachineSample | undefined,
): readonly (readonly [string, readonly string[]])[] {
  const { kind, id, agentPort, cores, memoryBytes } = machine;
  const { clockOffsetMillis, roundTripMillis } = sample ?? {};
  const facts: (readonly [string, readonly string[]])[] = [
    [words.state, [spokenPresence(machine)]],
    [words.system, [systemText(machine)]],
    [words.processor, cores > 0 ? [`${words.cores({ cores })}, ${bytesText(memoryBytes)}`] : []],
    ["GPUs", machine.gpus.flatMap((gpu) => gpuLines(gpu, machine, sample))],
    [words.engines, machine.engines.map(engineText)],
    [words.addresses, machine.addresses],
    [
      words.agent,
      agentPort === undefined ? [] : [words.agentText({ port: String(agentPort), version: machine.version })],
    ],
    [words.roundTrip, roundTripMillis === undefined ? [] : [durationText(roundTripMillis)]],
    [words.clock, clockOffsetMillis === undefined ? [] : [clockText(clockOffsetMillis)]],
    [words.mayDoHere, machine.grantedRole === undefined ? [] : [roleText(machine.grantedRole).there]],
    [words.youMayThere, machine.role === undefined ? [] : [roleText(machine.role).there]],
    [words.deviceId, kind === "foreign" ? [] : fingerprintLines(id)],
  ];
  return facts.filter(([, lines]) => lines.some((line) => line !== ""));
}

/** A GPU, its load, and the processes that hold its memory. */
function gpuLines(gpu: Gpu, { tasks }: Machine, sample: MachineSample | undefined): string[] {
  const load = sample?.gpus.find(({ index }) => index === gpu.index);
  const holders = (load?.processes ?? []).map(({ pid, name, memoryBytes, taskId }) => {
    const task = tasks.find(({ id }) => id === taskId);
    const holder = task ? taskName(task) : words.process({ name, pid: String(pid) });
    return `    ${words.holds({ holder, bytes: bytesText(memoryBytes) })}`;
  });
  const text = `${gpu.index}: ${gpuTexts([gpu], sample?.gpus).join("")}`;
  return [
    load?.busyPercent === undefined
      ? text
      : words.gpuBusy({ gpu: text, percent: Math.round(load.busyPercent) }),
    ...holders,
  ];
}

function clockText(offsetMillis: number): string {
  if (Math.abs(offsetMillis) < 1) return words.clockSame;
  return (offsetMillis > 0 ? words.clockAhead : words.clockBehind)({
    time: durationText(Math.abs(offsetMillis)),
  });
}
