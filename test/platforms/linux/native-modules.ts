import { CALLS_C_LIBRARY, loadNativeModules, type NativeModule } from "../native-modules.js";
import type { EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

export function nativeModules(machine: EmulatedMachine, modules: readonly NativeModule[]): LinuxCheck {
  return {
    name: `${modules.join(" and ")} load, by require and import`,
    form: "short",
    run: () =>
      loadNativeModules(modules, CALLS_C_LIBRARY, (args) =>
        machine.run("node", args, { cwd: "/tensordeck" }),
      ),
  };
}
