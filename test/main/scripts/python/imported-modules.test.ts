import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importedModules, importsOf } from "../../../../main/scripts/python/imported-modules.js";

describe("the imports of a source", () => {
  it("are those at its margin, not those in texts, comments, functions and try", () => {
    const source = [
      '"""A script.',
      "import in_a_text",
      '"""',
      "from __future__ import annotations",
      "import os, numpy.linalg as la; import json",
      "from tensorflow.compat import v1 as tf  # import in_a_comment",
      "from . import sibling",
      "import_path = '''",
      "import in_another",
      "'''",
      "try:",
      "    import cupy",
      "except ImportError:",
      "    cupy = None; import late",
      "def main():",
      "    import within",
      "from tensorflow.compat import v1",
    ].join("\r\n");
    expect(importsOf(source)).toEqual(["__future__", "os", "numpy.linalg", "json", "tensorflow.compat"]);
  });
});

describe("the modules that a script needs", () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "tensordeck-modules-"));
  });
  afterEach(() => rm(root, { recursive: true }));
  const source = (path: string, text: string) => writeFile(join(root, path), text);

  it("are those that its folder does not have, of the modules that it imports there too", async () => {
    await mkdir(join(root, "train", "model"), { recursive: true });
    await source("train/run.py", "import model.layers\nimport helper\nimport tensorflow as tf\n");
    await source("train/helper.py", "import run\nimport yaml\n");
    await source("train/model/__init__.py", "import absl\n");
    await source("train/model/layers.py", "from .base import Base\nimport numpy\n");
    expect((await importedModules(root, "train/run.py")).sort()).toEqual([
      ...["absl", "numpy", "tensorflow", "yaml"],
    ]);
  });

  it("are only TensorFlow where the script adds folders to its path", async () => {
    await source("run.py", "import sys\nsys.path.append('lib')\nimport mine, tensorflow\n");
    expect(await importedModules(root, "run.py")).toEqual(["tensorflow"]);
  });
});
