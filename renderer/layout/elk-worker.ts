/** The worker of elk-engine.ts: the Eclipse Layout Kernel, which answers messages by itself. */
import "elkjs/lib/elk-worker.min.js";
