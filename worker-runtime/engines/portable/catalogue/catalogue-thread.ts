import { parentPort } from "node:worker_threads";
import { createKernelRegistry } from "../kernels/all.js";
import { catalogueOf } from "./catalogue.js";

parentPort?.postMessage(catalogueOf(createKernelRegistry()));
