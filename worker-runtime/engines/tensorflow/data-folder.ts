import { homedir } from "node:os";
import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of this user in which Tensordeck keeps what it installs and remembers. TENSORDECK_DATA_DIR overrides it. */
export function dataFolder(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (env.TENSORDECK_DATA_DIR) {
    return path.resolve(env.TENSORDECK_DATA_DIR);
  }
  const home = env.HOME || homedir();
  switch (platform) {
    case "darwin":
      return path.join(home, "Library", "Application Support", "Tensordeck");
    case "win32":
      return path.join(env.LOCALAPPDATA || path.join(homedir(), "AppData", "Local"), "Tensordeck");
    default:
      // The XDG base directory rules: relative paths must be ignored.
      return path.join(
        env.XDG_DATA_HOME && path.isAbsolute(env.XDG_DATA_HOME)
          ? env.XDG_DATA_HOME
          : path.join(home, ".local", "share"),
        "tensordeck",
      );
  }
}

/** The location of installed runtimes, each in its own folder. */
export function runtimesFolder(env?: Environment): string {
  return path.join(dataFolder(env), "runtimes");
}

/** Data that can be regenerated at any time: op lists and facts about libraries. */
export function cacheFolder(env?: Environment): string {
  return path.join(dataFolder(env), "cache");
}
