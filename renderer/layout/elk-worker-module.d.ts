/** The worker has no types of its own, because it exports nothing. */
declare module "elkjs/lib/elk-worker.min.js";
