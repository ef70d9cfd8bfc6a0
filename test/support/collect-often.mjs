/** Preloaded by processes that must not depend on what garbage is collected when: `NODE_OPTIONS=--import=…`. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const INTERVAL_MILLIS = 50;

setFlagsFromString("--expose-gc");
setInterval(runInNewContext("gc"), INTERVAL_MILLIS).unref();
